package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/footnotehq/footnote/adapters/console"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/retrieve"
)

type searchCommand struct {
	Query  []string `arg:"" sep:"none" help:"What to search for."`
	JSON   bool     `name:"json" help:"Print one JSON object with every component of every score."`
	Limit  int      `name:"limit" short:"n" placeholder:"N" help:"How many passages (default: MAX_CHUNKS_FED_TO_CHAT)."`
	Source []string `name:"source" placeholder:"ID" help:"Only these sources, as footnote sources lists them; may be repeated."`
	Recent bool     `name:"recent" help:"Favour what is recent."`
}

func (c *searchCommand) query() string { return strings.Join(c.Query, " ") }

// foundJSON is the output of search --json. Its field names are stable.
type foundJSON struct {
	Query     string             `json:"query"`
	Evidence  bool               `json:"evidence"`
	Hits      []hitJSON          `json:"hits"`
	Trace     retrieve.Trace     `json:"trace"`
	TimingsMS map[string]float64 `json:"timings_ms"`
}

type hitJSON struct {
	Rank       int              `json:"rank"`
	DocumentID document.ID      `json:"document_id"`
	ChunkID    document.ChunkID `json:"chunk_id"`
	Ordinal    int              `json:"ordinal"`
	Title      string           `json:"title"`
	URL        string           `json:"url,omitempty"`
	Source     document.Kind    `json:"source"`
	UpdatedAt  *time.Time       `json:"updated_at,omitempty"`
	Heading    []string         `json:"heading,omitempty"`
	Text       string           `json:"text"`
	Start      int              `json:"start"`
	End        int              `json:"end"`
	Score      float64          `json:"score"`
	Scores     retrieve.Scores  `json:"scores"`
}

// Run executes "footnote search".
func (c *searchCommand) Run(ctx context.Context, env *environment) (err error) {
	if strings.TrimSpace(c.query()) == "" {
		return usageError("there is nothing to search for: write a few words after footnote search")
	}
	if c.Limit < 0 {
		return usageError("--limit: is not a positive number")
	}
	base, err := wire.Open(ctx, env.config, env.logger)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	retriever, err := base.Retriever()
	if err != nil {
		return err
	}
	search := retrieve.Search{
		Audience: base.ConsoleAudience(), Queries: []retrieve.Query{{Text: c.query()}}, Limit: c.Limit, FavorRecent: c.Recent, Now: time.Now(),
	}
	for _, id := range c.Source {
		search.Sources = append(search.Sources, document.SourceID(id))
	}
	start := time.Now()
	result, err := retriever.Search(ctx, search)
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	if c.JSON {
		return c.printJSON(env, result, time.Since(start))
	}
	return c.print(env, result)
}

func (c *searchCommand) printJSON(env *environment, result retrieve.Result, took time.Duration) error {
	out := foundJSON{Query: c.query(), Evidence: result.Evidence, Hits: []hitJSON{}, Trace: result.Trace, TimingsMS: map[string]float64{"total": ms(took)}}
	for stage, d := range result.Trace.Timings {
		out.TimingsMS[stage] = ms(d)
	}
	for i, h := range result.Hits {
		hit := hitJSON{
			Rank: i + 1, DocumentID: h.Document.ID, ChunkID: h.Chunk, Ordinal: h.Ordinal, Title: h.Document.Title, URL: h.Link,
			Source: h.Document.Kind, Heading: h.Heading, Text: h.Text, Start: h.Start, End: h.End, Score: h.Scores.Score, Scores: h.Scores,
		}
		if !h.Document.UpdatedAt.IsZero() {
			hit.UpdatedAt = &h.Document.UpdatedAt
		}
		out.Hits = append(out.Hits, hit)
	}
	encoder := newEncoder(env.stdout)
	return encoder.Encode(out)
}

func (c *searchCommand) print(env *environment, result retrieve.Result) error {
	if result.Trace.Notice != "" {
		if _, err := fmt.Fprintln(env.out, result.Trace.Notice); err != nil {
			return err
		}
	}
	if len(result.Hits) == 0 {
		_, err := fmt.Fprintln(env.out, "Nothing was found. footnote sources lists what is indexed.")
		return err
	}
	if !result.Evidence {
		if _, err := fmt.Fprintln(env.out, "Nothing matches well. The closest passages:"); err != nil {
			return err
		}
	}
	for i, h := range result.Hits {
		where := strings.Join(h.Heading, " › ")
		if where != "" {
			where = " › " + where
		}
		_, err := fmt.Fprintf(env.out, "%2d. %.3f  %s%s\n    %s\n    %s\n", i+1, h.Scores.Score, plain(h.Document.Title), plain(where), plain(h.Link),
			plain(shorten(h.Text, 240)))
		if err != nil {
			return err
		}
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// shorten returns about the given number of characters, on one line.
func shorten(s string, runes int) string {
	line := []rune(strings.Join(strings.Fields(s), " "))
	if len(line) <= runes {
		return string(line)
	}
	return strings.TrimRight(string(line[:runes]), " ") + "…"
}

// plain returns a text on one line, without characters that could drive the terminal.
func plain(s string) string { return console.Sanitize(lineBreaks.Replace(s)) }

var lineBreaks = strings.NewReplacer("\n", " ", "\t", " ")
