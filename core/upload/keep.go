package upload

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/footprint"
	"github.com/footnotehq/footnote/core/index"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
)

// Deps holds the dependencies of a Service. All fields are required.
type Deps struct {
	Store    Store
	Projects func() []Project // returns the current projects
	// Read reads a file as a document. The error is a sentence for the person, unless it describes
	// this machine.
	Read func(ctx context.Context, name string, content []byte) (document.Document, error)
	// Changed updates the index soon after a change. removed lists documents that must no longer be
	// found. If Changed is not called or fails, the index is updated within a minute.
	Changed func(ctx context.Context, tenant access.TenantID, removed ...document.ID) error
	// Full reports whether an error means that the disk of the store is full.
	Full   func(error) bool
	Logger *slog.Logger
}

// Service stores files that people upload. It is safe for concurrent use.
type Service struct {
	Deps
	room chan struct{} // one value per file in memory
}

// atOnce is the maximum number of files that a process stores at the same time. Each takes up to 3
// × MaxBytes of memory.
const atOnce = 2

const readLimit = 45 * time.Second

// New returns a Service that stores files in deps.Store.
func New(deps Deps) *Service { return &Service{deps, make(chan struct{}, atOnce)} }

// Request is a person's request to keep files in a project.
type Request struct {
	Tenant  access.TenantID
	Project string         // as the person wrote it
	Author  access.Account // current account on the platform
	// Listens is the audience of the reply. If one person in the audience may not know a project,
	// the project is treated as unknown.
	Listens access.Audience
	// Holds is the audience that consists of the author. It applies if only the author may read the
	// files.
	Holds   access.Audience
	Readers access.ACL // who may read the files
	From    thread.Ref
	Message thread.MessageID
}

// Given is a file as a person uploaded it.
type Given struct {
	Name    string
	Content []byte
	Link    string // address of its message
	Failed  string // a sentence that says why the content is missing
}

// Outcome is the result of keeping one file.
type Outcome struct {
	File
	Became
	Refused string // a sentence that says why the file is not kept; empty if it is
}

// Open checks whether a request is allowed, before any file is fetched. It returns the project that
// the request names. If the request is not allowed, refused is a sentence for the person.
func (s *Service) Open(r Request) (project Project, refused string) {
	if !MayKeep(r.Author) {
		return project, SayMembersOnly
	}
	visible := Visible(s.Projects(), r.Listens)
	if r.Project == "" {
		return project, sayNameOne(visible)
	}
	at := slices.IndexFunc(visible, func(p Project) bool { return strings.EqualFold(p.Name, r.Project) })
	switch {
	case at < 0:
		return project, SayAbsent(r.Project)
	case len(r.Readers) == 0, !r.Listens.MayRead(r.Readers) && !r.Holds.MayRead(r.Readers):
		return project, SayUnknownReaders
	}
	return visible[at], ""
}

// Begin blocks until the process may hold another file in memory. The caller must call end after it
// has released the file.
func (s *Service) Begin(ctx context.Context) (end func(), err error) {
	select {
	case s.room <- struct{}{}:
		return func() { <-s.room }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for other files: %w", context.Cause(ctx))
	}
}

// Keep stores one file of a request that Open accepted. The outcome reports failures.
func (s *Service) Keep(ctx context.Context, r Request, p Project, g Given) Outcome {
	f := File{
		ID: NewID(), Project: p.Name, Name: CleanName(g.Name), Readers: slices.Compact(slices.Sorted(slices.Values(r.Readers))), Size: int64(len(g.Content)),
		Hash: sha256.Sum256(g.Content), Author: r.Author, From: r.From, Message: r.Message, Link: g.Link,
	}
	if refused := s.refuse(ctx, f, g); refused != "" {
		return Outcome{File: f, Refused: refused}
	}
	stored, became, err := s.Store.Keep(ctx, r.Tenant, f, g.Content)
	switch {
	case errors.Is(err, ErrFull):
		return Outcome{File: f, Refused: sayFull}
	case errors.Is(err, ErrTaken):
		return Outcome{File: f, Refused: sayTaken}
	case err != nil && s.Full(err):
		s.Logger.ErrorContext(ctx, "a file is not kept: the disk is full", "error", err)
		return Outcome{File: f, Refused: sayNoRoom}
	case err != nil:
		s.Logger.ErrorContext(ctx, "a file is not kept", "error", err)
		return Outcome{File: f, Refused: sayBroken}
	}
	if became != Unchanged {
		s.follow(ctx, r.Tenant)
	}
	return Outcome{File: stored, Became: became}
}

func (s *Service) refuse(ctx context.Context, f File, g Given) string {
	switch {
	case f.Name == "":
		return sayNoName
	case g.Failed != "":
		return g.Failed
	case f.Size == 0:
		return sayEmpty
	case f.Size > MaxBytes:
		return SayTooLarge
	}
	// like the index, which reads the file next; questions have less time
	timed, cancel := context.WithTimeout(footprint.ForSources(ctx), readLimit)
	defer cancel()
	d, err := s.Read(timed, f.Name, g.Content)
	switch {
	case err != nil && ctx.Err() != nil:
		return sayLate
	case errors.Is(err, footprint.ErrWaiting):
		return sayBusy
	case err != nil && timed.Err() != nil:
		return sayTooLong
	case err != nil && ofMachine(err):
		s.Logger.ErrorContext(ctx, "a file is not kept: it could not be read", "error", err)
		return sayBroken
	case err != nil:
		return sentence(index.Reason(err))
	case strings.TrimSpace(d.Text()) == "":
		return sayNoText
	}
	return ""
}

// ofMachine reports whether an error is about the files or system calls of this machine. Such an
// error must not be shown to people.
func ofMachine(err error) bool {
	var path *fs.PathError
	var link *os.LinkError
	var system *os.SyscallError
	return !errors.Is(err, index.ErrSkipped) && (errors.As(err, &path) || errors.As(err, &link) || errors.As(err, &system))
}

// follow updates the index after a change. If that fails, the index is updated a minute later.
func (s *Service) follow(ctx context.Context, tenant access.TenantID, removed ...document.ID) {
	if err := s.Changed(ctx, tenant, removed...); err != nil {
		s.Logger.WarnContext(ctx, "the index follows a change of kept files later", "error", err)
	}
}

// List returns the files that everyone in an audience may read.
func (s *Service) List(ctx context.Context, tenant access.TenantID, audience access.Audience) ([]File, error) {
	all, err := s.Store.List(ctx, tenant)
	if err != nil {
		return nil, fmt.Errorf("list kept files: %w", err)
	}
	return Readable(all, audience), nil
}

// Remove removes a file on behalf of a person. It returns the reply, and whether it removed the
// file. To a person who may not read the file, the reply says that there is no such file.
func (s *Service) Remove(ctx context.Context, tenant access.TenantID, id ID, person access.Account, admin bool, holds access.Audience) (said string, done bool, err error) {
	all, err := s.List(ctx, tenant, holds)
	if err != nil {
		return "", false, err
	}
	at := slices.IndexFunc(all, func(f File) bool { return f.ID == id })
	if at < 0 {
		return sayNoFile, false, nil
	}
	if !MayRemove(all[at], person, admin, holds) {
		return sayNotYours, false, nil
	}
	switch err := s.Drop(ctx, tenant, id, session.Actor{Platform: thread.Platform(person.Platform), ID: person.ID}); {
	case errors.Is(err, ErrGone): // removed meanwhile
		return sayNoFile, false, nil
	case err != nil:
		return "", false, err
	}
	return fmt.Sprintf("Removed %s from the project %s. It cannot be found any more.", Code(all[at].Name), Code(all[at].Project)), true, nil
}

// Drop removes a file regardless of permissions. Operators use it. The error is ErrGone if the file
// does not exist.
func (s *Service) Drop(ctx context.Context, tenant access.TenantID, id ID, by session.Actor) error {
	if err := s.Store.Remove(ctx, tenant, id, by); err != nil {
		return fmt.Errorf("remove a kept file: %w", err)
	}
	s.follow(ctx, tenant, id.Document())
	return nil
}

// MessageDeleted removes the files that came with a deleted message.
func (s *Service) MessageDeleted(ctx context.Context, tenant access.TenantID, at thread.Ref, message thread.MessageID) error {
	n, err := s.Store.RemoveOf(ctx, tenant, at, message)
	if err != nil {
		return fmt.Errorf("remove the files of a deleted message: %w", err)
	}
	if n > 0 {
		s.follow(ctx, tenant)
	}
	return nil
}
