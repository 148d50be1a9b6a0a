package run

import (
	"encoding/json"
	"net"
	"os"
	"path/filepath"
	"strconv"
)

// loopback is the only address on which a kernel listens.
const loopback = "127.0.0.1"

// connection is the content of a Jupyter connection file.
type connection struct {
	Transport       string `json:"transport"`
	IP              string `json:"ip"`
	ShellPort       int    `json:"shell_port"`
	IOPubPort       int    `json:"iopub_port"`
	StdinPort       int    `json:"stdin_port"`
	ControlPort     int    `json:"control_port"`
	HeartbeatPort   int    `json:"hb_port"`
	SignatureScheme string `json:"signature_scheme"`
	Key             string `json:"key"`
	KernelName      string `json:"kernel_name"`
}

// newConnection chooses five free ports and a fresh key.
func newConnection() (connection, error) {
	c := connection{
		Transport:       "tcp",
		IP:              loopback,
		SignatureScheme: "hmac-sha256",
		Key:             randomID(),
		KernelName:      "gonb",
	}
	// All five stay open until all are chosen, else one could be given twice.
	for _, port := range []*int{&c.ShellPort, &c.IOPubPort, &c.StdinPort, &c.ControlPort, &c.HeartbeatPort} {
		l, err := net.Listen("tcp", net.JoinHostPort(loopback, "0"))
		if err != nil {
			return connection{}, err
		}
		defer l.Close()
		*port = l.Addr().(*net.TCPAddr).Port
	}
	return c, nil
}

// write puts the connection file into dir, readable by the user alone because
// it holds the key, and returns its path.
func (c connection) write(dir string) (string, error) {
	data, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		return "", err
	}
	// gonb takes the kernel's id from a name of this form.
	path := filepath.Join(dir, "kernel-"+randomID()+".json")
	return path, os.WriteFile(path, data, 0o600)
}

func (c connection) endpoint(port int) string {
	return c.Transport + "://" + net.JoinHostPort(c.IP, strconv.Itoa(port))
}
