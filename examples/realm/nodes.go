package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"syscall"
	"time"
)

// place describes where a node runs.
type place struct {
	page   string   // address of the node's page; "" means that the node serves no page
	host   string   // address at which the node reaches the proxies on this machine
	within []string // prefix for the command line of the node, such as "ip netns exec"
}

// seat is a place with its proxies. Each start of the seat runs a new process with a new name, but
// the proxies stay the same.
type seat struct {
	place
	letter   string
	born     int // number of processes started so far; part of the node's name
	postgres *proxy
	nats     *proxy

	mu   sync.Mutex
	cmd  *exec.Cmd
	said *bytes.Buffer // output of the process
	done chan struct{} // closed when the process has ended
}

// nodes manages the node processes.
type nodes struct {
	servers *servers
	world   string // value of envWorld
	seats   []*seat
}

// openNodes starts a node in each place.
func openNodes(s *servers, places []place, zones, bots int) (*nodes, error) {
	all := &nodes{servers: s, world: fmt.Sprint(zones, " ", bots)}
	for k, p := range places {
		db, err := newProxy(p.host, s.postgresTarget())
		if err != nil {
			return nil, err
		}
		bus, err := newProxy(p.host, fmt.Sprintf("127.0.0.1:%d", s.port))
		if err != nil {
			return nil, err
		}
		seat := &seat{place: p, letter: string(rune('a' + k%26)), postgres: db, nats: bus}
		all.seats = append(all.seats, seat)
		if err := all.start(seat); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// lead redirects all nodes to another PostgreSQL address and closes their connections.
func (n *nodes) lead(to string) {
	for _, s := range n.seats {
		s.postgres.lead(to, true)
	}
}

// start starts the process of a seat. The process gets a new name, because the name of a killed
// node stays taken for the TTL of its lease.
func (n *nodes) start(s *seat) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.born++
	s.said = &bytes.Buffer{}
	command := append(slices.Clone(s.within), self)
	s.cmd = exec.Command(command[0], command[1:]...)
	s.cmd.Env = append(os.Environ(), envNode+"="+s.name(), envSchema+"="+n.servers.schema, envWorld+"="+n.world, envPage+"="+s.page,
		envPostgres+"="+n.servers.postgresVia(s.postgres.address()), envNATS+"=nats://"+s.nats.address())
	s.cmd.Stdout, s.cmd.Stderr = s.said, s.said
	s.cmd.SysProcAttr = childAttr()
	if err := s.cmd.Start(); err != nil {
		return err
	}
	cmd, done := s.cmd, make(chan struct{})
	s.done = done
	go func() {
		_ = cmd.Wait()
		close(done)
	}()
	return nil
}

func (s *seat) name() string { return fmt.Sprint(s.letter, s.born) }

// signal sends a signal to the process.
func (s *seat) signal(sig os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.cmd.Process.Signal(sig)
}

// end waits until the process has ended. If the process does not end within the given time, "end"
// kills the process. It returns an error unless the process succeeded.
func (s *seat) end(within time.Duration) error {
	select {
	case <-s.done:
	case <-time.After(within):
		s.signal(syscall.SIGKILL)
		<-s.done
		return fmt.Errorf("realm: node %s did not drain within %v and was killed", s.name(), within)
	}
	if s.cmd.ProcessState.Success() {
		return nil
	}
	return fmt.Errorf("realm: node %s: %v: %s", s.name(), s.cmd.ProcessState, bytes.TrimSpace(s.said.Bytes()))
}

// close drains all nodes.
func (n *nodes) close() (err error) {
	for _, s := range n.seats {
		s.signal(syscall.SIGCONT)
		s.signal(syscall.SIGTERM)
	}
	for _, s := range n.seats {
		err = errors.Join(err, s.end(20*time.Second))
		s.postgres.close()
		s.nats.close()
	}
	return err
}
