package conversation

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/thread"
	"github.com/footnotehq/footnote/core/upload"
)

const (
	// keepWithin is how long keeping the files of one message may take, with the wait for others.
	keepWithin = 5 * time.Minute
	// maxKeeping is of how many messages files are being kept, or wait for it.
	maxKeeping = 16
	// keepOnceWithin is how long one process keeps all others from keeping the same files. Keeping
	// them again changes nothing.
	keepOnceWithin = time.Minute
)

// keeps reports whether a message asks to keep the files that come with it, and in which project.
func (c *Conversation) keeps(m chat.Message, j answer.Judgement) (project string, ok bool) {
	if c.service.Uploads == nil || j.Ambient || m.Hidden {
		return "", false
	}
	project, ok = upload.Wanted(m.Text)
	return project, ok && (m.Attached || project != "")
}

// keep keeps the files of a message in a project. The event does not wait for it: a message that a
// process left in the middle is found again by the next one, and what is stored twice is stored
// once.
func (c *Conversation) keep(ctx context.Context, m chat.Message, j answer.Judgement, project string) error {
	if err := c.service.Room(); err != nil {
		return c.rejected(ctx, m, j, err)
	}
	key := "keep "
	if m.Late { // whoever claimed it before is gone
		key = "keep late "
	}
	mine, err := c.deps.Store.Claim(ctx, c.tenant(m.Ref), m.Ref, key+m.Ref.Channel+" "+string(m.ID), keepOnceWithin)
	if err != nil {
		return c.failed(ctx, m, fmt.Errorf("claim the files of a message: %w", err), SayBroken)
	}
	if !mine || !c.taken.First(m.Key()) {
		return nil
	}
	if !c.keeping.run(ctx, func(keeping context.Context) { c.keepNow(ctx, keeping, m, j, project) }) {
		c.errands.run(ctx, func(ctx context.Context) { c.deps.Platform.Say(ctx, m, upload.SayBusy, !m.Direct) })
	}
	return nil
}

// keepNow keeps the files of a message while keeping lasts, and then replies, for which it has time
// left in any case.
func (c *Conversation) keepNow(ctx, keeping context.Context, m chat.Message, j answer.Judgement, project string) {
	said, kept := c.keepAll(keeping, m, j, project)
	if errors.Is(context.Cause(keeping), errStopping) {
		c.logger.InfoContext(ctx, "the files of a message are left to the next process", "message", m.ID)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), errandLimit)
	defer cancel()
	if kept && c.dropped(ctx, m) {
		return
	}
	if kept {
		notice := chat.Notice{To: m.ID, Subject: chat.ReplySubject(m.ID), Text: said}
		_, err := c.deps.Platform.Post(ctx, m.At, notice)
		if err == nil {
			return
		}
		c.logger.WarnContext(ctx, "the reply about kept files goes to their author alone", "error", err)
	}
	c.deps.Platform.Say(ctx, m, said, !m.Direct)
}

// dropped removes the files of a message that was deleted while they were being kept, and reports
// whether it was.
func (c *Conversation) dropped(ctx context.Context, m chat.Message) bool {
	if _, err := c.deps.Platform.Message(ctx, m.Ref, m.ID); !errors.Is(err, thread.ErrMessageGone) {
		return false
	}
	if err := c.service.Uploads.MessageDeleted(ctx, c.tenant(m.Ref), m.Ref, m.ID); err != nil {
		c.logger.ErrorContext(ctx, "the files of a deleted message stay", "message", m.ID, "error", err)
	}
	return true
}

// keepAll keeps the files of a message, and returns what to say. kept says that some are kept. Then
// everyone who sees the message may read the reply.
func (c *Conversation) keepAll(ctx context.Context, m chat.Message, j answer.Judgement, project string) (said string, kept bool) {
	request, refused := c.keepRequest(ctx, m, j, project)
	if refused != "" {
		return refused, false
	}
	to, refused := c.service.Uploads.Open(request)
	if refused != "" {
		return refused, false
	}
	var all []upload.Outcome
	end, err := c.service.Uploads.Begin(ctx)
	if err != nil {
		return upload.SayBusy, false
	}
	defer end()
	for a := range c.deps.Platform.Attachments(ctx, m, upload.MaxBytes) {
		o := c.service.Uploads.Keep(ctx, request, to, upload.Given{Name: a.Name, Content: a.Data, Link: a.Link, Failed: a.Failed})
		kept = kept || o.Refused == ""
		all = append(all, o)
	}
	return upload.SayOutcomes(to, request.Readers, all, true), kept
}

// keepRequest finds out who asks, and who listens. refused is a sentence if the platform does not
// say.
func (c *Conversation) keepRequest(ctx context.Context, m chat.Message, j answer.Judgement, project string) (r upload.Request, refused string) {
	tenant := c.tenant(m.Ref)
	alone, err := c.deps.Platform.Alone(ctx, m.Ref, m.Author.ID)
	if err != nil || len(alone.People) != 1 || alone.People[0].ID != m.Author.ID || alone.Tenant != tenant {
		c.logger.WarnContext(ctx, "a person is unknown, so no file is kept", "error", err)
		return r, upload.SayUnknownPerson
	}
	there, holds := alone, access.Audience{}
	if m.Direct || m.Enclosed {
		holds = access.AudienceOf(tenant, c.service.Held(ctx, alone))
	}
	if !m.Direct { // others may read the reply, also where the files are for their author alone
		at := session.Turn{Session: session.Session{Tenant: tenant, Ref: m.Ref}, Asker: m.Author}
		if there, err = c.deps.Platform.Listeners(ctx, at); err != nil || there.Tenant != tenant {
			c.logger.WarnContext(ctx, "the readers of a channel are unknown, so no file is kept", "error", err)
			return r, upload.SayUnknownReaders
		}
	}
	if project == "" {
		project = j.Policy.Project
	}
	return upload.Request{
		Tenant: tenant, Project: project, Author: alone.People[0], Listens: access.AudienceOf(tenant, c.service.Held(ctx, there)),
		Holds: holds, Readers: upload.ReadersOf(m.Ref, m.Author.ID, m.Direct, m.Enclosed), From: m.Ref, Message: m.ID,
	}, ""
}

// errStopping says that the process ends.
var errStopping = errors.New("the process is stopping")

// keeping is the files that are being kept, which takes longer than an errand. The zero value is
// ready for use.
type keeping struct {
	once  sync.Once
	room  chan struct{}
	under sync.WaitGroup
	ends  context.Context //nolint:containedctx // it ends all that is being kept
	end   context.CancelCauseFunc
}

func (k *keeping) begin() {
	k.once.Do(func() {
		k.room = make(chan struct{}, maxKeeping)
		k.ends, k.end = context.WithCancelCause(context.Background())
	})
}

// run keeps files soon, and returns false if too many wait for that.
func (k *keeping) run(ctx context.Context, do func(context.Context)) bool {
	k.begin()
	select {
	case k.room <- struct{}{}:
	default:
		return false
	}
	k.under.Go(func() {
		defer func() { <-k.room }()
		ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
		defer cancel(nil)
		defer context.AfterFunc(k.ends, func() { cancel(errStopping) })() //nolint:contextcheck // ends it
		ctx, done := context.WithTimeout(ctx, keepWithin)
		defer done()
		do(ctx)
	})
	return true
}

// wait returns when all are kept. What takes longer than an errand is left to the next process.
func (k *keeping) wait() {
	k.begin()
	defer time.AfterFunc(errandLimit, func() { k.end(errStopping) }).Stop()
	k.under.Wait()
}
