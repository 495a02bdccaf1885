package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/footnotehq/footnote/adapters/postgres"
	"github.com/footnotehq/footnote/bots/internal/memory"
	"github.com/footnotehq/footnote/bots/internal/platforms"
	"github.com/footnotehq/footnote/bots/internal/wire"
)

type doctorCommand struct{}

// Run executes "footnote doctor". It reports all faults, not just the first, and does not change
// the schema.
func (c *doctorCommand) Run(ctx context.Context, env *environment) (err error) {
	e := &examination{out: env.out}
	e.find(env.memoryFinding())
	base, fault := wire.OpenMigrated(ctx, env.config, env.logger)
	if errors.Is(fault, postgres.ErrNoSchema) {
		e.find(platforms.Finding{Part: "schema", Optional: true, Text: "There is none yet, as on a new machine. " +
			"Run footnote migrate, index or serve, which create it; then run footnote doctor again, which checks the other parts."})
		return e.result()
	}
	if errors.Is(fault, postgres.ErrSchema) {
		e.tell("schema", "", fmt.Errorf("%w. The other parts are checked once the schema fits", fault))
		return e.result()
	}
	if fault != nil {
		e.tell("database", "", fault)
		return e.result()
	}
	defer func() { err = errors.Join(err, base.Close(ctx)) }()
	if disk, private, fault := base.Disk(); fault != nil {
		e.tell("disk", "", fault)
	} else if private {
		e.find(platforms.Finding{Part: "disk", Text: disk.String(), OK: !disk.Short(), Optional: true})
	}
	for _, check := range base.Checks() {
		state, fault := check.Run(ctx)
		e.tell(check.Part, state, fault)
	}
	e.checkIssuers(ctx, base)
	sources, fault := base.CheckSources(ctx)
	if fault != nil {
		e.tell("sources", "", fault)
	}
	for _, s := range sources {
		e.find(finding(s))
	}
	people, fault := base.CheckPeople(ctx)
	if fault != nil {
		e.tell("people", "", fault)
	}
	for _, a := range people {
		e.find(platforms.Finding{Part: a.Part, Text: a.Text, OK: a.OK, Optional: true})
	}
	set, fault := platforms.New(base, nil)
	if fault != nil {
		e.tell("platforms", "", fault)
		return e.result()
	}
	for _, f := range set.Check(ctx) {
		e.find(f)
	}
	mistakes, fault := silentMistakes(ctx, base, set, true)
	if fault != nil {
		e.find(platforms.Finding{Part: "more checks", Text: "These failed: " + strings.ReplaceAll(advised(fault), "\n", "; ")})
	}
	for _, m := range mistakes {
		e.find(platforms.Finding{Part: m.Part, Text: m.Text, Optional: true})
	}
	return e.result()
}

// memoryFinding also warns if the index cache may take more than three quarters of the limit.
func (env *environment) memoryFinding() platforms.Finding {
	f := platforms.Finding{Part: "memory", Text: env.memory.String(), OK: true, Optional: true}
	if index := env.config.IndexMemoryBytes; env.memory.Bytes > 0 && index > env.memory.Bytes/4*3 {
		f.OK = false
		f.Text += fmt.Sprintf("; INDEX_MEMORY_BYTES takes up to %s of it: set it to half of the limit, or give more", memory.Amount(index))
	}
	return f
}

type examination struct {
	out    io.Writer
	faulty bool
	err    error // first error of printing a line
}

func (e *examination) tell(part, state string, fault error) {
	f := platforms.Finding{Part: part, Text: state, OK: fault == nil}
	if fault != nil {
		f.Text = advised(fault)
	}
	e.find(f)
}

func (e *examination) find(f platforms.Finding) {
	mark := "✓"
	switch {
	case !f.OK && f.Optional:
		mark = "!"
	case !f.OK:
		mark, e.faulty = "✗", true
	}
	if _, err := fmt.Fprintf(e.out, "%s %s: %s\n", mark, f.Part, f.Text); e.err == nil {
		e.err = err
	}
}

// result returns errSilent after a fault, because the fault was already printed.
func (e *examination) result() error {
	if e.err == nil && e.faulty {
		return errSilent
	}
	return e.err
}
