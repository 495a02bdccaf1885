package localmodel

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Addresses are where servers listen by default: Ollama, LM Studio, llama.cpp and llamafile, vLLM,
// Jan, Docker Model Runner. Any program may listen there, ours included.
var Addresses = []string{
	"127.0.0.1:11434", "127.0.0.1:1234", "127.0.0.1:8080", "127.0.0.1:8000", "127.0.0.1:1337", "127.0.0.1:12434",
}

// Loopback reports whether an address is a port of this machine that no other machine reaches.
func Loopback(address string) bool {
	at, err := netip.ParseAddrPort(address)
	return err == nil && at.Addr().IsLoopback() && at.Port() > 0
}

// AddressOf returns the address of this machine that OLLAMA_HOST, or the base URL of an endpoint,
// leads to. ok is false where that is another machine or cannot be read.
func AddressOf(host string) (address string, ok bool) {
	host = strings.Trim(strings.TrimSpace(host), `"'`)
	if host == "" {
		return "", false
	}
	port := "11434"
	scheme, rest, found := strings.Cut(host, "://")
	switch {
	case !found:
		rest = host
	case scheme == "http": // Ollama's own rule: a scheme brings its port
		port = "80"
	default:
		return "", false
	}
	u, err := url.Parse("http://" + rest)
	if err != nil || u.User != nil {
		return "", false
	}
	if u.Port() != "" {
		port = u.Port()
	}
	name := u.Hostname()
	switch name {
	case "", "localhost", "0.0.0.0":
		name = "127.0.0.1"
	case "::":
		name = "::1"
	}
	address = net.JoinHostPort(name, port)
	return address, Loopback(address)
}

// Where are the addresses to look at: the given ones, and what OLLAMA_HOST says.
func Where(addresses []string, ollamaHost string) []string {
	all := slices.Clone(addresses)
	if at, ok := AddressOf(ollamaHost); ok && !slices.Contains(all, at) {
		all = append(all, at)
	}
	return all
}
