package run

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// protocolVersion is the revision of the Jupyter messaging protocol that is
// spoken here.
const protocolVersion = "5.3"

// delimiter separates routing identities from the message proper.
const delimiter = "<IDS|MSG>"

// header identifies one message of the protocol.
type header struct {
	MsgID    string `json:"msg_id"`
	Session  string `json:"session"`
	Username string `json:"username"`
	Date     string `json:"date"`
	MsgType  string `json:"msg_type"`
	Version  string `json:"version"`
}

// message is one message of the protocol. Content and metadata stay JSON until
// somebody needs them.
type message struct {
	header   header
	parent   header
	metadata json.RawMessage
	content  json.RawMessage
}

var (
	errFrames    = errors.New("a message has too few frames")
	errSignature = errors.New("a message's signature does not match")
)

// session makes and checks the messages of one client.
type session struct {
	id  string
	key []byte
}

// newMessage makes a message of the given type.
func (s *session) newMessage(msgType string, content any) (message, error) {
	body, err := json.Marshal(content)
	if err != nil {
		return message{}, err
	}
	return message{
		header: header{
			MsgID:    randomID(),
			Session:  s.id,
			Username: "inferlab",
			Date:     time.Now().UTC().Format(time.RFC3339Nano),
			MsgType:  msgType,
			Version:  protocolVersion,
		},
		metadata: json.RawMessage("{}"),
		content:  body,
	}, nil
}

// encode returns the frames of m: delimiter, signature, header, parent header,
// metadata and content.
func (s *session) encode(m message) ([][]byte, error) {
	head, err := json.Marshal(m.header)
	if err != nil {
		return nil, err
	}
	parent := []byte("{}")
	if m.parent != (header{}) {
		if parent, err = json.Marshal(m.parent); err != nil {
			return nil, err
		}
	}
	parts := [][]byte{head, parent, m.metadata, m.content}
	return append([][]byte{[]byte(delimiter), []byte(sign(s.key, parts))}, parts...), nil
}

// decode checks the signature of received frames and reads the message.
// Frames before the delimiter are routing identities or a topic.
func (s *session) decode(frames [][]byte) (message, error) {
	for len(frames) > 0 && string(frames[0]) != delimiter {
		frames = frames[1:]
	}
	if len(frames) < 6 {
		return message{}, errFrames
	}
	parts := frames[2:6]
	if !hmac.Equal(frames[1], []byte(sign(s.key, parts))) {
		return message{}, errSignature
	}
	m := message{metadata: parts[2], content: parts[3]}
	if err := json.Unmarshal(parts[0], &m.header); err != nil {
		return message{}, fmt.Errorf("header: %w", err)
	}
	if err := json.Unmarshal(parts[1], &m.parent); err != nil {
		return message{}, fmt.Errorf("parent header: %w", err)
	}
	return m, nil
}

// sign returns the HMAC-SHA256 of the parts in lower-case hexadecimal.
func sign(key []byte, parts [][]byte) string {
	mac := hmac.New(sha256.New, key)
	for _, p := range parts {
		mac.Write(p)
	}
	return hex.EncodeToString(mac.Sum(nil))
}

// randomID returns 128 random bits in the form of a version 4 UUID.
func randomID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	h := hex.EncodeToString(b[:])
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}
