package llm

import (
	"iter"
	"strings"
)

// thoughtTags enclose reasoning at the start of a reply. Models write these tags if their server
// does not separate reasoning from the answer.
var thoughtTags = []struct{ open, close string }{
	{"<think>", "</think>"}, // DeepSeek R1, Qwen, GLM
	{"<thinking>", "</thinking>"},
	{"<thought>", "</thought>"}, // Gemma, Gemini
	{"<reasoning>", "</reasoning>"},
	{"<seed:think>", "</seed:think>"},                                 // Seed-OSS
	{"[THINK]", "[/THINK]"},                                           // Magistral
	{"◁think▷", "◁/think▷"},                                           // Kimi
	{"<|begin_of_thought|>", "<|end_of_thought|>"},                    // OpenThinker
	{"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"}, // gpt-oss
}

// Thoughts moves reasoning from Delta.Text to Delta.Reasoning, for models that write it in tags
// such as <think>. Only tags at the start of a reply count. If a tag is not closed, the whole reply
// is reasoning.
func Thoughts(stream iter.Seq2[Delta, error]) iter.Seq2[Delta, error] {
	return func(yield func(Delta, error) bool) {
		var t thoughts
		for d, err := range stream {
			if err != nil {
				if rest := t.end(); rest != (Delta{}) && !yield(rest, nil) {
					return
				}
				yield(d, err)
				return
			}
			if d.Text == "" && d.Finish == "" {
				if !yield(d, nil) {
					return
				}
				continue
			}
			parts := t.push(d.Text)
			if d.Finish != "" {
				parts = append(parts, t.end())
			}
			held := d.Text != ""
			d.Text = ""
			for _, part := range parts {
				if part != (Delta{}) && !yield(part, nil) {
					return
				}
			}
			if (!held || d != (Delta{})) && !yield(d, nil) {
				return
			}
		}
		if rest := t.end(); rest != (Delta{}) {
			yield(rest, nil)
		}
	}
}

// maxBlank is the number of bytes of white space that are held before a reply begins. More of it is
// passed on as reasoning, so that [Limits] count it.
const maxBlank = 256

type thoughts struct {
	buf   string // text that may still be part of a tag
	close string // closing tag to wait for; empty outside tags
	text  bool   // the answer has begun
}

func (t *thoughts) push(text string) []Delta {
	if t.text {
		return []Delta{{Text: text}}
	}
	t.buf += text
	var out []Delta
	for {
		if t.close != "" {
			before, after, closed := strings.Cut(t.buf, t.close)
			if !closed {
				keep := partial(t.buf, t.close)
				out = append(out, Delta{Reasoning: t.buf[:len(t.buf)-keep]})
				t.buf = t.buf[len(t.buf)-keep:]
				return out
			}
			out = append(out, Delta{Reasoning: before})
			t.close, t.buf = "", after
		}
		start := strings.TrimLeft(t.buf, " \t\r\n")
		if blank := len(t.buf) - len(start); blank > maxBlank {
			out = append(out, Delta{Reasoning: t.buf[:blank]})
			t.buf = start
		}
		maybe := start == ""
		for _, tag := range thoughtTags {
			if rest, opened := strings.CutPrefix(start, tag.open); opened {
				t.close, t.buf = tag.close, rest
				break
			}
			maybe = maybe || strings.HasPrefix(tag.open, start)
		}
		if t.close != "" {
			continue
		}
		if !maybe {
			out = append(out, Delta{Text: t.buf})
			t.text, t.buf = true, ""
		}
		return out
	}
}

func (t *thoughts) end() Delta {
	rest := t.buf
	t.buf = ""
	if t.close != "" {
		return Delta{Reasoning: rest}
	}
	return Delta{Text: rest}
}

// partial returns the number of bytes at the end of text that may be the start of mark.
func partial(text, mark string) int {
	for n := min(len(mark)-1, len(text)); n > 0; n-- {
		if strings.HasSuffix(text, mark[:n]) {
			return n
		}
	}
	return 0
}
