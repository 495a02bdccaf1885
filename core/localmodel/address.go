package localmodel

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Addresses are the default addresses of Ollama, LM Studio, llama.cpp and llamafile, vLLM, Jan and
// Docker Model Runner. Other programs, including this one, may listen on the same addresses.
var Addresses = []string{
	"127.0.0.1:11434", "127.0.0.1:1234", "127.0.0.1:8080", "127.0.0.1:8000", "127.0.0.1:1337", "127.0.0.1:12434",
}

// Loopback reports whether an address is a port on a loopback interface, which other machines
// cannot reach.
func Loopback(address string) bool {
	at, err := netip.ParseAddrPort(address)
	return err == nil && at.Addr().IsLoopback() && at.Port() > 0
}

// AddressOf returns the address, as host:port, of a model server on this machine. host is the value
// of OLLAMA_HOST or the base URL of an endpoint. ok is false if host is another machine or invalid.
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
	case scheme == "http": // as in Ollama, a scheme implies its default port
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

// Where returns the addresses at which to look for model servers: addresses, and the address in
// ollamaHost if it is local.
func Where(addresses []string, ollamaHost string) []string {
	all := slices.Clone(addresses)
	if at, ok := AddressOf(ollamaHost); ok && !slices.Contains(all, at) {
		all = append(all, at)
	}
	return all
}
