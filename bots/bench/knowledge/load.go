package knowledge

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/evaluate"
)

type question struct {
	set, text string
	grades    map[string]int // of documents in the index
	any       bool           // one of them is enough
}

func load(ctx context.Context, base *wire.Base, o options) ([]question, error) {
	var all evaluate.Collection
	var questions []question
	for _, dir := range o.sets {
		set, err := evaluate.Read(os.DirFS(dir))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", dir, err)
		}
		place := make(map[string]string, len(set.Documents))
		for _, d := range set.Documents {
			// as evaluate.Collection.Connector names them
			place[d.ID] = fmt.Sprintf("collection:%d", len(all.Documents))
			all.Documents = append(all.Documents, d)
		}
		for _, q := range set.Queries {
			grades := make(map[string]int)
			for id, grade := range set.Judgements[q.ID] {
				if grade > 0 {
					grades[place[id]] = grade
				}
			}
			questions = append(questions, question{set: filepath.Base(dir), text: q.Text, grades: grades})
		}
	}
	pipeline, err := base.Pipeline(ctx)
	if err != nil {
		return nil, err
	}
	if len(all.Documents) > 0 {
		if _, err := pipeline.Run(ctx, base.Tenant, all.Connector(), nil); err != nil {
			return nil, err
		}
	}
	for _, m := range o.manuals {
		more, err := manual(ctx, base, m)
		if err != nil {
			return nil, fmt.Errorf("load the manual %s: %w", m, err)
		}
		questions = append(questions, more...)
	}
	return questions, base.Settle(ctx, func(string, float64) {})
}

// manual returns only questions that have an answer and begin a thread. The argument where is
// FOLDER=QUESTIONS.
func manual(ctx context.Context, base *wire.Base, where string) ([]question, error) {
	dir, file, found := strings.Cut(where, "=")
	if !found {
		return nil, fmt.Errorf("write FOLDER=QUESTIONS")
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	asked, err := evaluate.ReadQuestions(f)
	_ = f.Close() // it was only read
	if err != nil {
		return nil, err
	}
	pages, err := wire.Connect(base.Config, config.Source{Path: dir, Include: []string{"*.html", "**/*.html"}, ACL: access.ACL{access.Public}})
	if err != nil {
		return nil, err
	}
	pipeline, err := base.Pipeline(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := pipeline.Run(ctx, base.Tenant, pages, nil); err != nil {
		return nil, err
	}
	source := pages.Source().ID
	known, err := base.Index.Known(ctx, base.Tenant, source, nil)
	if err != nil {
		return nil, err
	}
	var out []question
	for _, q := range asked {
		if !q.Answerable() || q.After != "" {
			continue
		}
		grades := make(map[string]int)
		for _, id := range slices.Sorted(maps.Keys(known)) {
			if q.Pages.MatchString(strings.TrimPrefix(string(id), string(source)+":")) {
				grades[string(id)] = 1
			}
		}
		out = append(out, question{set: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), text: q.Text, grades: grades, any: true})
	}
	return out, nil
}

func sizes(ctx context.Context, base *wire.Base, out io.Writer) error {
	var chunks, names, mentions, edges, bytes int64
	err := base.DB.Pool.QueryRow(ctx, `
		select (select count(*) from chunk), (select count(*) from entity_name), (select count(*) from mention), (select count(*) from edge),
		       pg_total_relation_size('entity_name') + pg_total_relation_size('entity') + pg_total_relation_size('alias') + pg_total_relation_size('edge')
		       + pg_total_relation_size('mention')`).Scan(&chunks, &names, &mentions, &edges, &bytes)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%d passages, %d names, %d mentions, %d statements, %d bytes a passage\n", chunks, names, mentions, edges, bytes/max(chunks, 1))
	return err
}

// quantile sorts its argument in place and returns 0 if it is empty.
func quantile(of []time.Duration, share float64) time.Duration {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[min(int(share*float64(len(of))), len(of)-1)]
}
