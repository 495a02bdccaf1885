package event

import (
	"regexp"
	"strings"
)

// ReadText converts the markup of a message to plain text. It removes mentions of the bot, and
// replaces other mentions, channels and links with their labels. mentioned reports whether the bot
// is mentioned, and others whether anyone else is. Mentions inside code are kept and do not count.
func ReadText(raw, bot string) (text string, mentioned, others bool) {
	var b strings.Builder
	for rest := raw; rest != ""; {
		if n := codeSpan(rest); n > 0 {
			b.WriteString(rest[:n])
			rest = rest[n:]
			continue
		}
		if rest[0] != '<' {
			next := strings.IndexAny(rest[1:], "<`") + 1
			if next == 0 {
				next = len(rest)
			}
			b.WriteString(rest[:next])
			rest = rest[next:]
			continue
		}
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			b.WriteString(rest)
			break
		}
		inner := rest[1:end]
		rest = rest[end+1:]
		switch {
		case inner == "@"+bot || strings.HasPrefix(inner, "@"+bot+"|"):
			mentioned = true
			rest = strings.TrimLeft(rest, " ")
			if s := b.String(); s != "" && !strings.HasSuffix(s, " ") && !strings.HasSuffix(s, "\n") && rest != "" {
				b.WriteByte(' ')
			}
		default:
			others = others || strings.HasPrefix(inner, "@")
			b.WriteString(shown(inner))
		}
	}
	return strings.TrimSpace(decodeEntities.Replace(b.String())), mentioned, others
}

// markup matches mentions, channels and addresses in the text of a command, if Slack sends them as
// markup.
var markup = regexp.MustCompile(`<(?:[@#!][^<>\n]+|https?://[^<>\s|]+(?:\|[^<>\n]*)?|mailto:[^<>\n]+)>`)

// TypedText converts the text of a command to plain text. Angle brackets that are not markup are
// kept.
func TypedText(raw string) string {
	text := markup.ReplaceAllStringFunc(raw, func(m string) string { return shown(m[1 : len(m)-1]) })
	return strings.TrimSpace(decodeEntities.Replace(text))
}

var decodeEntities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")

// codeSpan returns the length of the code at the start of s. It returns 0 if s does not start with
// code.
func codeSpan(s string) int {
	fence := "`"
	if strings.HasPrefix(s, "```") {
		fence = "```"
	}
	if !strings.HasPrefix(s, fence) {
		return 0
	}
	end := strings.Index(s[len(fence):], fence)
	switch {
	case end >= 0 && (fence == "```" || !strings.Contains(s[1:1+end], "\n")):
		return end + 2*len(fence)
	default:
		return len(fence) // a backtick that opens no code
	}
}

// shown returns the visible text of the markup <inner>.
func shown(inner string) string {
	target, label, labelled := strings.Cut(inner, "|")
	switch {
	case strings.HasPrefix(target, "@"), strings.HasPrefix(target, "#"):
		sign := target[:1]
		if labelled && label != "" {
			return sign + strings.TrimPrefix(label, sign)
		}
		return target
	case strings.HasPrefix(target, "!"): // <!here>, <!subteam^S1|@team>, <!date^…|fallback>
		if labelled {
			return label
		}
		name, _, _ := strings.Cut(target[1:], "^")
		return "@" + name
	case labelled && label != target && "mailto:"+label != target:
		return label + " (" + target + ")"
	default:
		return strings.TrimPrefix(target, "mailto:")
	}
}
