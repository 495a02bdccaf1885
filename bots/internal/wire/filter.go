package wire

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/footnotehq/footnote/adapters/filterhook"
	"github.com/footnotehq/footnote/bots/internal/config"
	"github.com/footnotehq/footnote/core/filter"
	"github.com/footnotehq/footnote/core/plural"
)

// filters caches the filter that belongs to the current configuration file. It is safe for
// concurrent use.
type filters struct {
	mu    sync.Mutex
	file  *config.File
	built *filter.Filter
}

// filter returns the filter for questions and answers, or nil if none is configured.
func (b *Base) filter() (*filter.Filter, error) {
	b.filters.mu.Lock()
	defer b.filters.mu.Unlock()
	file := b.File()
	if b.filters.file == file {
		return b.filters.built, nil
	}
	built, err := newFilter(b, file)
	if err != nil {
		return nil, err
	}
	b.filters.file, b.filters.built = file, built
	return built, nil
}

func newFilter(b *Base, file *config.File) (*filter.Filter, error) {
	f := &filter.Filter{Refusal: file.Questions.Say}
	var err error
	if f.Questions, err = listOf(file.Questions); err != nil {
		return nil, fmt.Errorf("read filters.questions: %w", err)
	}
	if f.Answers, err = listOf(file.Answers); err != nil {
		return nil, fmt.Errorf("read filters.answers: %w", err)
	}
	if b.Config.OutputFilterURL != "" {
		hook, err := b.hook()
		if err != nil {
			return nil, err
		}
		f.Stages = append(f.Stages, filter.Reviewed{Reviewer: hook, Open: b.Config.OutputFilterFailure == "allow", Logger: b.Logger})
	}
	if f.Answers != nil { // after the hook, to check the hook's results too
		f.Stages = append(f.Stages, filter.Listed{List: f.Answers, Action: file.Answers.Action})
	}
	if f.Questions == nil && len(f.Stages) == 0 {
		return nil, nil
	}
	return f, nil
}

func listOf(r config.FilterRule) (*filter.List, error) {
	if !r.Any() {
		return nil, nil
	}
	return filter.NewList(r.Words, r.Patterns)
}

func (b *Base) hook() (*filterhook.Hook, error) {
	return filterhook.New(filterhook.Config{
		URL: b.Config.OutputFilterURL, Token: b.Config.OutputFilterToken.Reveal(), Timeout: b.Config.OutputFilterTimeout,
		HTTP: &http.Client{Transport: b.http.Transport},
	})
}

func (b *Base) checkFilter(ctx context.Context) (string, error) {
	f := b.File()
	lists := fmt.Sprintf("%s for questions, %d for answers", plural.Count(len(f.Questions.Words)+len(f.Questions.Patterns), "entry"), len(f.Answers.Words)+len(f.Answers.Patterns))
	if _, err := b.filter(); err != nil {
		return "", err
	}
	if b.Config.OutputFilterURL == "" {
		return lists, nil
	}
	hook, err := b.hook()
	if err != nil {
		return "", err
	}
	if _, _, err := hook.Review(ctx, filter.Paragraph{Answer: filter.Answer{Turn: "doctor", Model: "doctor"}, Number: 1, Text: "Is the output filter there?"}); err != nil {
		return "", fmt.Errorf("%w (OUTPUT_FILTER_URL)", err)
	}
	return lists + "; OUTPUT_FILTER_URL answers", nil
}
