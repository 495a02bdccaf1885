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
	// keepTimeout limits the time for storing the files of one message. It includes the wait for
	// other messages.
	keepTimeout = 5 * time.Minute
	// maxKeeping is the maximum number of messages whose files are being stored or are waiting to
	// be stored.
	maxKeeping = 16
	// keepClaimTTL is how long a process reserves a message in order to store its files. Other
	// processes do not store the files during this time.
	keepClaimTTL = time.Minute
)

// keepProject reports whether a message asks to store its files in a project. project is "" if the
// message names none.
func (c *Conversation) keepProject(m chat.Message, j answer.Judgement) (project string, ok bool) {
	if c.service.Uploads == nil || j.Ambient || m.Hidden {
		return "", false
	}
	project, ok = upload.Wanted(m.Text)
	return project, ok && (m.Attached || project != "")
}

// startKeeping stores the files of a message in a project, in the background. If the process dies,
// the next process finds the message and repeats the work. Storing a file twice has no effect.
func (c *Conversation) startKeeping(ctx context.Context, m chat.Message, j answer.Judgement, project string) error {
	if err := c.service.Room(); err != nil {
		return c.rejected(ctx, m, j, err)
	}
	key := "keep "
	if m.Late { // the process with the earlier claim is gone
		key = "keep late "
	}
	mine, err := c.deps.Store.Claim(ctx, c.tenant(m.Ref), m.Ref, key+m.Ref.Channel+" "+string(m.ID), keepClaimTTL)
	if err != nil {
		return c.handleFailure(ctx, m, fmt.Errorf("claim the files of a message: %w", err), SayBroken)
	}
	if !mine || !c.accepted.First(m.Key()) {
		return nil
	}
	if !c.keeping.run(ctx, func(keeping context.Context) { c.keepAndReply(ctx, keeping, m, j, project) }) {
		c.errands.run(ctx, func(ctx context.Context) { c.deps.Platform.Say(ctx, m, upload.SayBusy, !m.Direct) })
	}
	return nil
}

// keepAndReply stores the files of a message and replies to the message. The context keeping limits
// only the storing. If the process is stopping, keepAndReply sends no reply and leaves the files to
// the next process.
func (c *Conversation) keepAndReply(ctx, keeping context.Context, m chat.Message, j answer.Judgement, project string) {
	said, kept := c.keepFiles(keeping, m, j, project)
	if errors.Is(context.Cause(keeping), errStopping) {
		c.logger.InfoContext(ctx, "the files of a message are left to the next process", "message", m.ID)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), errandTimeout)
	defer cancel()
	if kept && c.removedMeanwhile(ctx, m) {
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

// removedMeanwhile deletes the stored files of a message that was deleted while they were being
// stored. It reports whether the message was deleted.
func (c *Conversation) removedMeanwhile(ctx context.Context, m chat.Message) bool {
	if _, err := c.deps.Platform.Message(ctx, m.Ref, m.ID); !errors.Is(err, thread.ErrMessageGone) {
		return false
	}
	if err := c.service.Uploads.MessageDeleted(ctx, c.tenant(m.Ref), m.Ref, m.ID); err != nil {
		c.logger.ErrorContext(ctx, "the files of a deleted message stay", "message", m.ID, "error", err)
	}
	return true
}

// keepFiles stores the files of a message and returns a reply. kept is true if at least one file
// was stored. The reply may then be shown to everyone who sees the message.
func (c *Conversation) keepFiles(ctx context.Context, m chat.Message, j answer.Judgement, project string) (said string, kept bool) {
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

// keepRequest returns the request to store the files of a message. If the author or the audience is
// unknown, refused is a sentence for the author.
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
	if !m.Direct { // others may read the reply, even if only the author may read the files
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

var errStopping = errors.New("the process is stopping")

// keepers runs tasks that store files, which take longer than [errands]. The zero value is ready
// for use.
type keepers struct {
	once    sync.Once
	slots   chan struct{}
	running sync.WaitGroup
	stopped context.Context //nolint:containedctx // it ends all that is being kept
	stop    context.CancelCauseFunc
}

func (k *keepers) begin() {
	k.once.Do(func() {
		k.slots = make(chan struct{}, maxKeeping)
		k.stopped, k.stop = context.WithCancelCause(context.Background())
	})
}

// run calls do in a new goroutine. It returns false if maxKeeping tasks are already running or
// waiting.
func (k *keepers) run(ctx context.Context, do func(context.Context)) bool {
	k.begin()
	select {
	case k.slots <- struct{}{}:
	default:
		return false
	}
	k.running.Go(func() {
		defer func() { <-k.slots }()
		ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
		defer cancel(nil)
		defer context.AfterFunc(k.stopped, func() { cancel(errStopping) })() //nolint:contextcheck // ends
		ctx, done := context.WithTimeout(ctx, keepTimeout)
		defer done()
		do(ctx)
	})
	return true
}

// wait waits until all tasks have ended. After errandTimeout it cancels the remaining tasks, which
// the next process repeats.
func (k *keepers) wait() {
	k.begin()
	defer time.AfterFunc(errandTimeout, func() { k.stop(errStopping) }).Stop()
	k.running.Wait()
}
