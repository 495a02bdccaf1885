package answer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/chat"
	"github.com/footnotehq/footnote/core/document"
	"github.com/footnotehq/footnote/core/packet"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

const (
	// listenersLimit limits the lookup of the audience, which delays the first word of an answer.
	listenersLimit = 5 * time.Second
	// pendingLimit is how long a turn waits for its audience. pendingLook is the interval between
	// checks.
	pendingLimit = 5 * time.Minute
	pendingLook  = time.Second
	// audienceRetry is the interval between lookups of the audience while the platform fails.
	audienceRetry = 500 * time.Millisecond
	// audienceLook is the shortest interval between checks of the audience while an answer is
	// written, and audienceRest the longest. A check reads versions from the store, as long as the
	// platform reports changes. Otherwise it calls the platform, and checks become rarer.
	audienceLook  = 2 * time.Second
	audienceRest  = 30 * time.Second
	audienceShare = 20 // interval as a multiple of the time of a check
)

// errAudience means that a person joined who may read fewer documents than the original audience.
// The attempt ends, and the turn returns to the queue.
var errAudience = errors.New("others listen than when the turn was begun")

// listeners returns the current audience of a turn. People may have joined or left the channel
// since the question was stored. While the audience is being loaded, it tells the asker and waits.
// If the platform fails, the audience may read only public documents, and unknown is a sentence
// about it. Otherwise unknown is empty.
func (s *Service) listeners(ctx context.Context, t session.Turn) (present access.Audience, unknown string) {
	present, err := s.Present(ctx, t)
	if errors.Is(err, access.ErrPending) {
		present, err = s.awaitAudience(ctx, t)
	}
	if err == nil {
		return present, ""
	}
	if !errors.Is(ctx.Err(), context.Canceled) { // a stopped turn needs no warning
		s.Logger.WarnContext(ctx, "the audience is unknown; the answer uses public documents only", "turn", t.ID, "error", err)
	}
	return access.Common(t.Audience, access.NewAudience(t.Session.Tenant)), sayUnknown(t, err)
}

// sayUnknown returns the sentence about an audience that is unknown because of err.
func sayUnknown(t session.Turn, err error) string {
	said, todo := sentencePersonUnknown, sentenceAgainLater
	if t.Public() {
		said = sentenceRoomUnknown
	}
	if errors.Is(err, thread.ErrNotPermitted) {
		todo = sentenceOperator
	}
	return said + todo
}

// Present looks up who can currently see the answer of a turn. Principals in document sources are
// missing if they cannot be looked up. An error means that the audience is unknown.
func (s *Service) Present(ctx context.Context, t session.Turn) (access.Audience, error) {
	present, err := s.present(ctx, t)
	if errors.Is(err, access.ErrGrants) {
		s.Logger.WarnContext(ctx, "the audience is held to what its platform says", "turn", t.ID, "error", err)
		return present, nil
	}
	return present, err
}

// present is like Present, but returns [access.ErrGrants] if principals in document sources are
// unknown.
func (s *Service) present(ctx context.Context, t session.Turn) (access.Audience, error) {
	ctx, cancel := context.WithTimeout(ctx, listenersLimit)
	defer cancel()
	there, err := s.Surfaces.Listeners(ctx, t)
	if err == nil && there.Tenant != t.Session.Tenant {
		err = errors.New("the platform answers for another tenant")
	}
	if err != nil {
		return access.Audience{}, err
	}
	return s.Resolver.Audience(ctx, there)
}

// Held returns the principals that everyone present holds. Principals in document sources are
// missing if they cannot be looked up.
func (s *Service) Held(ctx context.Context, p access.Presence) []access.Held {
	held, err := s.Resolver.Held(ctx, p)
	if err != nil && ctx.Err() == nil {
		s.Logger.WarnContext(ctx, "a person's groups come from the platform alone", "error", err)
	}
	return held
}

func (s *Service) awaitAudience(ctx context.Context, t session.Turn) (access.Audience, error) {
	s.Logger.InfoContext(ctx, "the turn waits until it is known who listens", "turn", t.ID)
	if s.Surfaces.Features(t.Session.Ref).Whispers && !t.Ambient && t.Attempt <= 1 {
		if err := s.Surfaces.Whisper(ctx, t, chat.Note{Sentence: sentencePending}); err != nil && ctx.Err() == nil {
			s.Logger.WarnContext(ctx, "the notice that the answer waits was not posted", "turn", t.ID, "error", err)
		}
	}
	limited, cancel := context.WithTimeout(ctx, pendingLimit)
	defer cancel()
	for {
		if err := sleep.For(limited, pendingLook); err != nil {
			return access.Audience{}, fmt.Errorf("wait until it is known who listens: %w", err)
		}
		present, err := s.Present(limited, t)
		if !errors.Is(err, access.ErrPending) {
			return present, err
		}
	}
}

// audienceNow returns an audience that may read only what the original and the current audience of
// a turn may both read. If the platform fails for listenersLimit, the audience may read only public
// documents. A turn with only public documents needs no call of the platform.
func (s *Service) audienceNow(ctx context.Context, t session.Turn) access.Audience {
	least := access.NewAudience(t.Session.Tenant)
	if t.Audience.Key() == least.Key() {
		return least
	}
	limited, cancel := context.WithTimeout(ctx, listenersLimit)
	defer cancel()
	for {
		present, err := s.present(limited, t)
		if err == nil {
			return access.Common(t.Audience, present)
		}
		if sleep.For(limited, audienceRetry) != nil {
			s.Logger.WarnContext(ctx, "the audience became unknown during the turn", "turn", t.ID, "error", err)
			if errors.Is(err, access.ErrGrants) {
				return access.Common(t.Audience, present)
			}
			return access.Common(t.Audience, least)
		}
	}
}

// audienceUnchanged returns a check that cancels the attempt if the current audience may read less
// than the original one.
func (s *Service) audienceUnchanged(t session.Turn, a *attempt) func(context.Context) error {
	return func(ctx context.Context) error {
		if s.audienceNow(ctx, t).Key() == t.Audience.Key() || ctx.Err() != nil {
			return nil
		}
		a.cancel(errAudience)
		return errAudience
	}
}

// watchAudience cancels the attempt when a person joins the room who may read less than the
// original audience. Without it, this person would see the rest of what a model writes in one call.
// It returns when ctx ends. If the platform fails, it changes nothing: the checks before a model
// call and at the end of an answer decide about that.
func (s *Service) watchAudience(ctx context.Context, t session.Turn, a *attempt) {
	var err error
	defer s.guard(ctx, "watch the audience", &err)
	if !t.Public() || t.Audience.Key() == access.NewAudience(t.Session.Tenant).Key() {
		return // no person can join, or none may read less
	}
	for rest := audienceLook; sleep.For(ctx, rest) == nil; {
		began := time.Now()
		present, err := s.present(ctx, t)
		if err == nil && access.Common(t.Audience, present).Key() != t.Audience.Key() {
			a.cancel(errAudience)
			return
		}
		rest = min(max(audienceLook, audienceShare*time.Since(began)), audienceRest)
	}
}

// recheckSources returns a sink that withdraws documents that the audience may no longer read. The
// check takes place before the last packet of an answer. The sink forwards all packets to the given
// sink. It adds notice at the end, unless notice is empty.
func (s *Service) recheckSources(ctx context.Context, t session.Turn, notice string, to packet.Sink) packet.Sink {
	return &recheckSink{
		to: to, notice: notice, shown: make(map[int]map[document.ID]bool),
		unreadable: func(ids []document.ID) []document.ID {
			if len(ids) == 0 {
				return nil
			}
			return s.unreadable(ctx, s.audienceNow(ctx, t), ids)
		},
	}
}

type recheckSink struct {
	to         packet.Sink
	shown      map[int]map[document.ID]bool
	unreadable func([]document.ID) []document.ID
	notice     string // added at the end, unless empty
}

// Accept implements packet.Sink.
func (c *recheckSink) Accept(p packet.Packet) {
	model := p.Placement.ModelIndex
	switch payload := p.Payload.(type) {
	case packet.SearchDocuments:
		c.addShown(model, payload.Documents...)
	case packet.OpenURLDocuments:
		c.addShown(model, payload.Documents...)
	case packet.CitationInfo:
		c.addShown(model, packet.Document{ID: payload.Document})
	case packet.Stop:
		c.addShown(model, payload.Closest...)
		if gone := c.unreadable(slices.Sorted(maps.Keys(c.shown[model]))); len(gone) > 0 {
			c.to.Accept(packet.Packet{Placement: p.Placement, Payload: packet.Withdrawn{Documents: gone}})
			payload.Closest = slices.DeleteFunc(slices.Clone(payload.Closest), func(d packet.Document) bool { return slices.Contains(gone, d.ID) })
			p.Payload = payload
		}
		if c.notice != "" {
			payload.Notices = append(slices.Clone(payload.Notices), c.notice)
			p.Payload = payload
		}
	}
	c.to.Accept(p)
}

func (c *recheckSink) addShown(model int, documents ...packet.Document) {
	if c.shown[model] == nil {
		c.shown[model] = make(map[document.ID]bool)
	}
	for _, d := range documents {
		c.shown[model][d.ID] = true
	}
}

// unreadable returns the documents among ids that the audience may not read now. It retries until
// the store responds. If it must give up, for example after a lost lease, it returns all of ids.
func (s *Service) unreadable(ctx context.Context, audience access.Audience, ids []document.ID) []document.ID {
	if len(ids) == 0 {
		return nil
	}
	var readable map[document.ID]bool
	err := s.persist(ctx, func(ctx context.Context) (err error) {
		readable, err = s.Library.Readable(ctx, audience, ids)
		return err
	})
	if err != nil {
		s.Logger.WarnContext(ctx, "what the audience may read now is not known; no sources are listed", "error", err)
		readable = nil
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id document.ID) bool { return readable[id] })
}
