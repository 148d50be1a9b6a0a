package run

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The published HMAC-SHA256 vectors of RFC 4231, cut into frames in several
// ways: the signature covers the frames as one text.
func TestSignVectors(t *testing.T) {
	tests := []struct {
		key   string
		parts []string
		want  string
	}{
		{strings.Repeat("\x0b", 20), []string{"Hi ", "There"}, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
		{"Jefe", []string{"what do ya want ", "for", "", " nothing?"}, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
		{strings.Repeat("\xaa", 20), []string{strings.Repeat("\xdd", 50)}, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
	}
	for _, tt := range tests {
		var parts [][]byte
		for _, p := range tt.parts {
			parts = append(parts, []byte(p))
		}
		if got := sign([]byte(tt.key), parts); got != tt.want {
			t.Errorf("sign(%q, %q) = %s, want %s", tt.key, tt.parts, got, tt.want)
		}
	}
}

func TestEncodeDecode(t *testing.T) {
	s := session{id: "me", key: []byte("secret")}
	m, err := s.newMessage("execute_request", map[string]string{"code": "<1 & 2>"})
	if err != nil {
		t.Fatal(err)
	}
	m.parent = header{MsgID: "p", MsgType: "x"}
	frames, err := s.encode(m)
	if err != nil {
		t.Fatal(err)
	}
	// Identities and topics come before the delimiter.
	got, err := s.decode(append([][]byte{[]byte("id1"), []byte("topic")}, frames...))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, got, cmp.AllowUnexported(message{})); diff != "" {
		t.Errorf("(-sent +received):\n%s", diff)
	}
	var content map[string]string
	if err := json.Unmarshal(got.content, &content); err != nil || content["code"] != "<1 & 2>" {
		t.Errorf("content %v, %v", content, err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	s := session{id: "me", key: []byte("secret")}
	m, err := s.newMessage("status", struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	frames, err := s.encode(m)
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < len(frames); i++ {
		forged := bytes.Clone(frames[i])
		forged[0] ^= 1
		changed := append([][]byte{}, frames...)
		changed[i] = forged
		if _, err := s.decode(changed); !errors.Is(err, errSignature) {
			t.Errorf("frame %d changed: got %v, want errSignature", i, err)
		}
	}
	for n := range len(frames) {
		if _, err := s.decode(frames[:n]); !errors.Is(err, errFrames) {
			t.Errorf("%d frames: got %v, want errFrames", n, err)
		}
	}
	other := session{key: []byte("other")}
	if _, err := other.decode(frames); !errors.Is(err, errSignature) {
		t.Errorf("other key: got %v, want errSignature", err)
	}
}

func FuzzDecode(f *testing.F) {
	s := session{key: []byte("k")}
	f.Add([]byte(`{"msg_id":"a"}`), []byte(`{}`), []byte(`{}`), []byte(`{"x":[1]}`))
	f.Fuzz(func(t *testing.T, head, parent, metadata, content []byte) {
		parts := [][]byte{head, parent, metadata, content}
		frames := append([][]byte{[]byte(delimiter), []byte(sign(s.key, parts))}, parts...)
		m, err := s.decode(frames)
		if err != nil {
			return
		}
		c := newCollector(redactor{})
		for _, kind := range []string{"stream", "display_data", "execute_result", "update_display_data", "error", "clear_output"} {
			m.header.MsgType = kind
			if c.add(0, m) == nil {
				appendJSON(nil, c.fields(0), 0)
			}
		}
	})
}

func TestConnectionFile(t *testing.T) {
	c, err := newConnection()
	if err != nil {
		t.Fatal(err)
	}
	ports := map[int]bool{c.ShellPort: true, c.IOPubPort: true, c.StdinPort: true, c.ControlPort: true, c.HeartbeatPort: true}
	if len(ports) != 5 || ports[0] {
		t.Errorf("ports are not five different ones: %v", ports)
	}
	for port := range ports {
		l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.ParseIP(loopback), Port: port})
		if err != nil {
			t.Errorf("port %d is not free: %v", port, err)
			continue
		}
		l.Close()
	}
	path, err := c.write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the file with the key has mode %v", info.Mode())
	}
	if !regexp.MustCompile(`/kernel-[0-9a-f-]{36}\.json$`).MatchString(path) {
		t.Errorf("path %s", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var back connection
	if err := json.Unmarshal(data, &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, back); diff != "" {
		t.Error(diff)
	}
	if len(c.Key) != 36 || c.endpoint(7) != "tcp://127.0.0.1:7" {
		t.Errorf("key %q, endpoint %q", c.Key, c.endpoint(7))
	}
}
