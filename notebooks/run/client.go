package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

// channel names one of the protocol's sockets.
type channel int

const (
	shell channel = iota
	iopub
	stdin
	control
)

// arrival is one message, or what went wrong on receiving it.
type arrival struct {
	from channel
	msg  message
	err  error
}

// mailbox is an unbounded queue. Receivers never wait on it, so that a slow
// reader cannot make the kernel's publisher drop or block.
type mailbox struct {
	mu      sync.Mutex
	waiting []arrival
	// ready holds a token while something may be waiting.
	ready chan struct{}
}

func newMailbox() *mailbox { return &mailbox{ready: make(chan struct{}, 1)} }

func (b *mailbox) put(a arrival) {
	b.mu.Lock()
	b.waiting = append(b.waiting, a)
	b.mu.Unlock()
	select {
	case b.ready <- struct{}{}:
	default:
	}
}

// take returns everything that is waiting.
func (b *mailbox) take() []arrival {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := b.waiting
	b.waiting = nil
	return all
}

// client holds the five sockets to one kernel.
type client struct {
	session  session
	sockets  map[channel]zmq4.Socket
	beat     zmq4.Socket
	inbox    *mailbox
	done     <-chan struct{}
	cancel   context.CancelFunc
	readers  sync.WaitGroup
	beatsMu  sync.Mutex
	lastBeat time.Time
}

// dialPause is how long to wait before trying again to reach a socket that the
// kernel has not opened yet.
const dialPause = 20 * time.Millisecond

// beatInterval is the time between two heartbeats.
const beatInterval = time.Second

// connect opens the sockets, waiting for the kernel to listen until ctx ends.
func connect(ctx context.Context, c connection) (*client, error) {
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	opts := []zmq4.Option{
		zmq4.WithLogger(log.New(io.Discard, "", 0)),
		zmq4.WithDialerMaxRetries(0),
	}
	id := randomID()
	// The kernel asks for input under the identity that sent the request, so
	// both sockets need the same one.
	dealer := append([]zmq4.Option{zmq4.WithID(zmq4.SocketIdentity(id))}, opts...)
	cl := &client{
		session: session{id: id, key: []byte(c.Key)},
		inbox:   newMailbox(),
		done:    life.Done(),
		cancel:  cancel,
		sockets: map[channel]zmq4.Socket{
			shell:   zmq4.NewDealer(life, dealer...),
			iopub:   zmq4.NewSub(life, opts...),
			stdin:   zmq4.NewDealer(life, dealer...),
			control: zmq4.NewDealer(life, dealer...),
		},
		beat:     zmq4.NewReq(life, opts...),
		lastBeat: time.Now(),
	}
	err := cl.open(ctx, c)
	if err != nil {
		cl.close()
		return nil, err
	}
	return cl, nil
}

func (cl *client) open(ctx context.Context, c connection) error {
	if err := cl.sockets[iopub].SetOption(zmq4.OptionSubscribe, ""); err != nil {
		return err
	}
	ports := []struct {
		from channel
		port int
	}{{shell, c.ShellPort}, {iopub, c.IOPubPort}, {stdin, c.StdinPort}, {control, c.ControlPort}}
	for _, p := range ports {
		socket := cl.sockets[p.from]
		if err := dial(ctx, socket, c.endpoint(p.port)); err != nil {
			return err
		}
		cl.readers.Go(func() { cl.receive(p.from, socket) })
	}
	if err := dial(ctx, cl.beat, c.endpoint(c.HeartbeatPort)); err != nil {
		return err
	}
	cl.readers.Go(cl.listenToHeart)
	return nil
}

// dial tries until the kernel listens or ctx ends.
func dial(ctx context.Context, socket zmq4.Socket, endpoint string) error {
	for {
		err := socket.Dial(endpoint)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(dialPause):
		}
	}
}

// receive moves messages from a socket to the mailbox until the socket ends.
func (cl *client) receive(from channel, socket zmq4.Socket) {
	for {
		raw, err := socket.Recv()
		if err != nil {
			return
		}
		msg, err := cl.session.decode(raw.Frames)
		cl.inbox.put(arrival{from, msg, err})
	}
}

// listenToHeart pings the kernel and notes each answer.
func (cl *client) listenToHeart() {
	for {
		if err := cl.beat.Send(zmq4.NewMsgString("ping")); err != nil {
			return
		}
		if _, err := cl.beat.Recv(); err != nil {
			return
		}
		cl.beatsMu.Lock()
		cl.lastBeat = time.Now()
		cl.beatsMu.Unlock()
		select {
		case <-cl.done:
			return
		case <-time.After(beatInterval):
		}
	}
}

// silence returns how long ago the kernel last answered a heartbeat.
func (cl *client) silence() time.Duration {
	cl.beatsMu.Lock()
	defer cl.beatsMu.Unlock()
	return time.Since(cl.lastBeat)
}

// send sends one request and returns its message id.
func (cl *client) send(to channel, msgType string, content any) (string, error) {
	msg, err := cl.session.newMessage(msgType, content)
	if err != nil {
		return "", err
	}
	frames, err := cl.session.encode(msg)
	if err != nil {
		return "", err
	}
	if err := cl.sockets[to].SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
		return "", fmt.Errorf("%s: %w", msgType, err)
	}
	return msg.header.MsgID, nil
}

// close ends all sockets and waits for their readers.
func (cl *client) close() {
	// Errors of closing are of no use: the kernel is gone or about to go.
	for _, s := range cl.sockets {
		s.Close()
	}
	cl.beat.Close()
	cl.cancel()
	cl.readers.Wait()
}
