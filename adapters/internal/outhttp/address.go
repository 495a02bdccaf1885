package outhttp

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// special lists reserved networks that netip's methods do not exclude (IANA's registries of
// special-purpose addresses, RFC 6890). For IPv6, isPublic accepts only 2000::/3.
var special = networks(
	"0.0.0.0/8", "100.64.0.0/10" /* carriers' own, and some clouds' metadata */, "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15",
	"198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"2001::/23" /* Teredo and other tunnels */, "2001:db8::/32", "2002::/16" /* 6to4 */, "3fff::/20",
)

var (
	global6 = netip.MustParsePrefix("2000::/3")
	// nat64 is the prefix of RFC 6052. The last four bytes of an address with this prefix are an
	// IPv4 address.
	nat64 = netip.MustParsePrefix("64:ff9b::/96")
)

// metadata lists the addresses of cloud metadata services. In this order, they belong to most
// clouds, AWS containers, Azure, Alibaba, Oracle, and AWS over IPv6.
var metadata = networks("169.254.169.254/32", "169.254.170.2/32", "168.63.129.16/32", "100.100.100.200/32", "192.0.0.192/32", "fd00:ec2::254/128")

func networks(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

func within(addr netip.Addr, list []netip.Prefix) bool {
	for _, p := range list {
		if p.Contains(addr) {
			return true
		}
	}
	return false
}

func isMetadata(addr netip.Addr) bool { return within(unwrap(addr), metadata) }

// isPublic reports whether an address is on the public internet. It judges an IPv4-mapped or NAT64
// address by the IPv4 address inside it.
func isPublic(addr netip.Addr) bool {
	addr = unwrap(addr)
	switch {
	case !addr.IsValid() || addr.Zone() != "" || within(addr, special):
		return false
	case addr.Is4():
		return addr.IsGlobalUnicast() && !addr.IsPrivate()
	default:
		return global6.Contains(addr)
	}
}

// unwrap returns the IPv4 address inside an IPv4-mapped or NAT64 address. It returns any other
// address unchanged.
func unwrap(addr netip.Addr) netip.Addr {
	addr = addr.Unmap()
	if nat64.Contains(addr) {
		b := addr.As16()
		return netip.AddrFrom4([4]byte(b[12:]))
	}
	return addr
}

// At reports whether a URL uses https without a user or port, and its host is one of the domains or
// a subdomain of one.
func At(address *url.URL, domains ...string) bool {
	host := strings.ToLower(address.Hostname())
	return address.Scheme == "https" && address.User == nil && address.Port() == "" && slices.ContainsFunc(domains, func(domain string) bool {
		return host == domain || strings.HasSuffix(host, "."+domain)
	})
}
