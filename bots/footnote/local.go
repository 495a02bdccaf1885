package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/footnotehq/footnote/bots/internal/wire"
	"github.com/footnotehq/footnote/core/localmodel"
)

const loadingTime = 3 * time.Minute

// localModel switches env to a model on this machine, if one was chosen before. If none was chosen
// and one is found, it asks the operator, but only if person is true. It returns a sentence that
// names the model, or "" if it changed nothing.
func (env *environment) localModel(ctx context.Context, person bool) (string, error) {
	if !wire.LooksForLocalModels(env.config) {
		return "", nil
	}
	choice, chosen, err := wire.ReadLocalChoice(env.config)
	if err != nil {
		_, err := fmt.Fprintf(env.errs, "Answers quote the documents: %v\n", err)
		return "", err
	}
	if person && env.config.LocalModel == "again" {
		chosen = false
	}
	switch {
	case chosen && choice.Use:
		offer, why := wire.FindChosen(ctx, choice)
		if why == "" {
			return env.useLocal(ctx, offer)
		}
		_, err := fmt.Fprintln(env.errs, localmodel.Gone(choice.Kind, choice.Model, choice.Address, why))
		return "", err
	case chosen || !person:
		return "", nil
	}
	return env.offerLocal(ctx)
}

func (env *environment) offerLocal(ctx context.Context) (string, error) {
	servers := wire.FindLocalModels(ctx, env.config)
	offers := localmodel.Offers(servers)
	for _, s := range servers {
		if s.Fault != "" {
			fmt.Fprintln(env.errs, s.Unusable())
		}
	}
	if len(offers) == 0 {
		if len(servers) == 0 {
			fmt.Fprintln(env.errs, localmodel.Suggestion(runtime.GOOS))
		}
		return "", nil
	}
	at, err := env.askLocal(ctx, offers)
	if errors.Is(err, io.EOF) { // the person gave no answer, so no choice is stored
		fmt.Fprintln(env.errs)
		return "", nil
	}
	if err != nil {
		return "", err
	}
	choice := wire.LocalChoice{}
	if at >= 0 {
		o := offers[at]
		choice = wire.LocalChoice{Use: true, Kind: o.Server.Kind, Address: o.Server.Address, Model: o.Model.Name}
	}
	if err := wire.KeepLocalChoice(env.config, choice); err != nil {
		fmt.Fprintf(env.errs, "The question comes again the next time: %v\n", err)
	} else {
		fmt.Fprintf(env.errs, "This is kept. To change it: %s\n", localmodel.Again)
	}
	if at < 0 {
		return "", nil
	}
	return env.useLocal(ctx, offers[at])
}

// askLocal returns an index into offers, or -1 for none of them.
func (env *environment) askLocal(ctx context.Context, offers []localmodel.Offer) (int, error) {
	for {
		fmt.Fprint(env.errs, localmodel.Question(offers))
		text, err := readAnswer(ctx, env.stdin)
		if err != nil {
			return 0, err
		}
		if at, ok := localmodel.Reply(text, offers); ok {
			return at, nil
		}
	}
}

// useLocal returns a sentence that names the model, or "" if the model cannot be loaded.
func (env *environment) useLocal(ctx context.Context, offer localmodel.Offer) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, loadingTime, fmt.Errorf("it took longer than %s", loadingTime))
	defer cancel()
	bar := newProgress(env, "")
	bar.doing("Loading " + localmodel.Shown(offer.Model.Name))
	loaded, err := wire.LoadLocalModel(ctx, offer)
	bar.end()
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_, err := fmt.Fprintln(env.errs, localmodel.Gone(offer.Server.Kind, offer.Model.Name, offer.Server.Address, err.Error()))
		return "", err
	}
	env.config = wire.WithLocalModel(env.config, loaded)
	says := loaded.Writes(env.config.ModelWindow)
	if raise := loaded.Raise(env.config.ModelWindow); raise != "" {
		says += "\n" + raise
	}
	return says, nil
}

// readAnswer reads byte by byte, because the chat reads the lines after the first. When ctx is
// done, it returns, but its read continues in the background until the program ends.
func readAnswer(ctx context.Context, in *os.File) (string, error) {
	type answer struct {
		text string
		err  error
	}
	read := make(chan answer, 1)
	go func() {
		var b strings.Builder
		for one := make([]byte, 1); b.Len() < 100; {
			n, err := in.Read(one)
			if n > 0 && one[0] == '\n' {
				break
			}
			if n > 0 {
				b.WriteByte(one[0])
			}
			if err != nil {
				read <- answer{err: err}
				return
			}
		}
		read <- answer{text: b.String()}
	}()
	select {
	case a := <-read:
		return a.text, a.err //nolint:wrapcheck // io.EOF is looked for
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}
