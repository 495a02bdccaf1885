package answer

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// addressLike matches text that is not a URL in Markdown, but that platforms or people may treat as
// a URL. Examples are unusual schemes, domains with a path or a query, and very long domains.
var addressLike = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]+:[/\\]{2}[^/\\]` +
	`|(?:^|[^a-z0-9])(?:https?:[/\\]|(?:mailto|tel|sms|smsto|callto|facetime|skype|sip|sips|xmpp|geo|magnet|javascript|vbscript|data|slack|discord|msteams|tg|whatsapp|zoommtg):[^/\\]` + `)` +
	`|(?:[\p{L}\p{M}\p{N}_-]+[.。．｡])+(?:xn--[a-z0-9-]+|[\p{L}\p{M}]{2,})\.?(?::[0-9]{1,5})?[/\\?#]` +
	`|(?:^|[^0-9.])[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]{1,5})?[/\\?#][^/]*[a-z?=&]` +
	`|^[/\\]*(?:[a-z0-9_-]+\.){2,}(?:xn--[a-z0-9-]+|[a-z]{2,})(?::[0-9]{1,5})?$`)

const addressBreaks = " \t\n\"'`<>()[]{}|^,;*"

const maxHost = 96

// encodeUnlinked turns text into code spans if it could be a URL that the policy does not allow.
// Otherwise a chat platform could make a link of it.
//
// Each decision depends only on the text up to the next blank or non-ASCII character, which later
// text cannot change.
func (w *writer) encodeUnlinked(in []Inline) []Inline {
	if w.label {
		return in
	}
	var out []Inline // nil while it equals in
	for i := 0; i < len(in); {
		end := i
		var run strings.Builder
		for ; end < len(in) && (in[end].Kind == Text || in[end].Kind == Email); end++ {
			run.WriteString(in[end].Text)
		}
		ranges := w.findAddressLike(run.String())
		if len(ranges) > 0 && out == nil {
			out = append(make([]Inline, 0, len(in)+2*len(ranges)), in[:i]...)
		}
		next := min(end+1, len(in)) // the inline that ended the run is not part of it
		if out != nil {
			out = append(encode(out, in[i:end], run.String(), ranges), in[end:next]...)
		}
		i = next
	}
	if out == nil {
		return in
	}
	return out
}

func (w *writer) findAddressLike(text string) [][2]int {
	var ranges [][2]int
	for i := 0; i < len(text); {
		if text[i] >= utf8.RuneSelf || strings.IndexByte(addressBreaks, text[i]) >= 0 {
			i++
			continue
		}
		start := i
		for i < len(text) && text[i] < utf8.RuneSelf && strings.IndexByte(addressBreaks, text[i]) < 0 {
			i++
		}
		token := strings.TrimRight(text[start:i], ".!?:")
		if strings.ContainsAny(token, ".:/\\?#") {
			host := hostBefore(text[:start])
			if !strings.ContainsAny(host+token, ".:。．｡") {
				continue
			}
			if at := addressLike.FindStringIndex(host + token); at != nil && at[1] > len(host) && !w.known(host+token) {
				ranges = append(ranges, [2]int{start, start + len(token)})
			}
		}
	}
	return ranges
}

func hostBefore(before string) string {
	if r, _ := utf8.DecodeLastRuneInString(before); before == "" || r < utf8.RuneSelf {
		return ""
	}
	start := len(before)
	for start > max(0, len(before)-maxHost) {
		r, size := utf8.DecodeLastRuneInString(before[:start])
		if !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune(".-_。．｡", r) {
			break
		}
		start -= size
	}
	return before[start:]
}

func (w *writer) known(address string) bool {
	return w.policy.Known != nil && (w.policy.Known(address) || w.policy.Known("https://"+address) || w.policy.Known("http://"+address))
}

func encode(out, in []Inline, text string, ranges [][2]int) []Inline {
	at := 0
	for _, n := range in {
		end := at + len(n.Text)
		for at < end {
			for len(ranges) > 0 && ranges[0][1] <= at {
				ranges = ranges[1:]
			}
			stop := end
			switch {
			case len(ranges) == 0 || ranges[0][0] >= end:
			case ranges[0][0] > at:
				stop = ranges[0][0]
			default:
				if ranges[0][0] == at {
					out = append(out, Inline{Kind: CodeSpan, Text: text[at:ranges[0][1]], Style: n.Style})
				}
				at = min(ranges[0][1], end)
				continue
			}
			part := n
			if part.Text = text[at:stop]; stop-at < len(n.Text) {
				part.Kind = Text
			}
			out = append(out, part)
			at = stop
		}
	}
	return out
}
