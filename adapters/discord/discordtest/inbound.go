package discordtest

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

type endpoint struct {
	url     string // empty: interactions come over the gateway
	public  ed25519.PublicKey
	private ed25519.PrivateKey
	failed  []string // errors of requests
}

func (e endpoint) shown() any {
	if e.url == "" {
		return nil
	}
	return e.url
}

// PublicKey returns the application's public key, in hexadecimal.
func (s *Server) PublicKey() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.publicKey()
}

func (s *Server) publicKey() string {
	if s.inbound.public == nil {
		public, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			panic(err) // the system has no randomness
		}
		s.inbound.public, s.inbound.private = public, private
	}
	return hex.EncodeToString(s.inbound.public)
}

// Endpoint makes interactions arrive as HTTP requests at url instead of as gateway events. Like
// Discord, it first checks that the endpoint answers PING and rejects a bad signature.
func (s *Server) Endpoint(url string) error {
	s.mu.Lock()
	s.publicKey()
	s.mu.Unlock()
	ping := []byte(`{"type":1,"id":"1","application_id":"` + s.bot.ID + `","token":"ping","version":1}`)
	status, body, err := s.request(url, ping, false)
	if err != nil || status != http.StatusOK || !bytes.Contains(body, []byte(`"type":1`)) {
		return errors.Join(err, errors.New("PING got "+strconv.Itoa(status)+" "+string(body)))
	}
	if status, _, err = s.request(url, ping, true); err != nil || status != http.StatusUnauthorized {
		return errors.Join(err, errors.New("a bad signature got "+strconv.Itoa(status)))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inbound.url = url
	return nil
}

// EndpointFaults returns the errors of requests to the endpoint.
func (s *Server) EndpointFaults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.inbound.failed...)
}

func (s *Server) request(url string, body []byte, bad bool) (int, []byte, error) {
	req, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(body)) //nolint:noctx // bounded by the client
	if err != nil {
		return 0, nil, err
	}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	signature := ed25519.Sign(s.inbound.private, append([]byte(timestamp), body...))
	if bad {
		signature[0] ^= 1
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Signature-Ed25519", hex.EncodeToString(signature))
	req.Header.Set("X-Signature-Timestamp", timestamp)
	res, err := (&http.Client{Timeout: s.config.AckLimit}).Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = res.Body.Close() }() // the body was read
	answer, err := io.ReadAll(res.Body)
	return res.StatusCode, answer, err
}

func (s *Server) deliver(i *Interaction, event any) {
	body, err := json.Marshal(event)
	if err != nil {
		panic(err) // the server built the data itself
	}
	url := s.inbound.url
	s.inboundBusy.Go(func() {
		status, answer, err := s.request(url, body, false)
		s.mu.Lock()
		defer s.mu.Unlock()
		defer s.notify()
		switch {
		case err != nil:
			s.inbound.failed = append(s.inbound.failed, err.Error())
		case status == http.StatusAccepted: // the bot responds in a separate request
		case status != http.StatusOK:
			s.inbound.failed = append(s.inbound.failed, strconv.Itoa(status)+" "+string(answer))
		default:
			var response callback
			if err := json.Unmarshal(answer, &response); err != nil {
				s.inbound.failed = append(s.inbound.failed, err.Error())
			} else if problem := s.respond(i, response); problem != nil {
				s.inbound.failed = append(s.inbound.failed, problem.text)
			}
		}
	})
}
