package answer

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/footnotehq/footnote/core/access"
	"github.com/footnotehq/footnote/core/answer/policy"
	"github.com/footnotehq/footnote/core/deepsearch"
	"github.com/footnotehq/footnote/core/session"
	"github.com/footnotehq/footnote/core/sleep"
	"github.com/footnotehq/footnote/core/thread"
)

// Occurrence is something that happened on a platform, for Judge. Of Event the adapter fills in
// what the platform says; Known, Stop, Unfollow, Question and SmallTalk are found out from Text and
// the store (a Stop or Unfollow that the adapter knows of stays).
type Occurrence struct {
	policy.Event
	Tenant  access.TenantID
	Ref     thread.Ref // Channel is the one whose settings hold: a Discord thread's parent
	Message thread.MessageID
	Author  string
	Text    string // looked at and not kept
	// Age is how long ago it was written, of what is read late; 0 for what is heard.
	Age time.Duration
	// EventKey is the platform's id of a command or a press, which is no message.
	EventKey string
	// Holds returns what the author alone may read, as far as that is known at once: an event is to
	// be acknowledged before a platform was asked anything. It is called only where that decides:
	// where not everybody may ask, roles have quotas, or helpers are configured. With an error it
	// is not known: a question is taken in all the same, and settled by a worker. Nil counts as
	// public alone.
	Holds func(ctx context.Context) (access.Audience, error)
	// Ask returns the same and may ask the platform; nil: no one can. It finds out who has helped
	// after Judge has returned.
	Ask func(ctx context.Context) (access.Audience, error)
}

// Judgement is what is to be done about an Occurrence, with what led to it.
type Judgement struct {
	policy.Decision
	Policy policy.Effective
	Thread session.Thread // as it was before the message, but for People, who include the author
	Holds  access.Audience
	// Steered is what became of an Instruction to the deep search that runs in the thread
	// (policy.Steer).
	Instruction deepsearch.Instruction
	Steered     deepsearch.Steered
	// Unsettled says of an Answer that it depends on what the author holds, which is not known yet
	// (session.Pending).
	Unsettled bool
}

// Judge decides about an event with all that is known: what holds in the channel, who takes part in
// the thread, what happened before. It notes in threads of the bot that the message was written,
// and keeps the verdict for `footnote why`. An error means that the store does not answer: the
// event is to be redelivered, or decided by Decide alone.
func (s *Service) Judge(ctx context.Context, o Occurrence) (j Judgement, err error) {
	defer s.guard(ctx, "judge", &err)
	defer s.intakes.begin()()
	if o.Own || o.System {
		j.Decision = policy.Decide(o.Event, policy.State{})
		return j, nil
	}
	rules := s.Policies
	if o.Operator {
		rules = nil
	}
	if j.Policy, err = policy.In(ctx, rules, o.Tenant, session.PlaceOf(o.Ref)); err != nil {
		return j, err
	}
	if o.Change != policy.Created {
		o.Known, err = s.asked(ctx, o)
		j.Decision = policy.Decide(o.Event, policy.State{})
		s.verdict(o, j.Decision)
		return j, err
	}
	h := &holder{ask: o.Holds, tenant: o.Tenant}
	if j.Thread, err = s.sight(ctx, o, j.Policy.Policy, h); err != nil {
		return j, err
	}
	if steered, err := s.steered(ctx, o, &j); err != nil || steered {
		return j, err
	}
	state := j.Policy.State().In(j.Thread)
	state.Idle = max(0, state.Idle-o.Age) // as it was then
	state.Answered, state.Chosen = j.Thread.Known, len(j.Policy.Values()) > 0
	o.read(j.Policy.Policy, j.Thread.Known)
	if err := s.cooling(ctx, o, j.Policy.Policy, &state); err != nil {
		return j, err
	}
	state.Permitted = true
	j.Decision = policy.Decide(o.Event, state)
	if j.Action == policy.Answer && (!j.Policy.Open() || j.Policy.CountsRoles()) {
		holds := h.holds(ctx)
		j.Unsettled = h.unknown
		state.Permitted = j.Unsettled || j.Policy.MayAsk(holds)
		j.Decision = policy.Decide(o.Event, state)
	}
	j.Holds = h.found
	s.verdict(o, j.Decision)
	s.judgedRefused(ctx, o, j.Decision)
	return j, nil
}

// read fills in what the text says.
func (o *Occurrence) read(p policy.Policy, known bool) {
	if o.Text != "" && o.addressed(known) {
		o.Stop = o.Stop || policy.IsStop(o.Text)
		o.Unfollow = o.Unfollow || policy.IsUnfollow(o.Text)
	}
	o.Question = policy.IsQuestion(o.Text, p.Ambient.Test)
	o.SmallTalk = policy.IsSmallTalk(o.Text)
}

// addressed reports whether a word such as "stop" is meant for the bot. Said in a thread of others,
// or in the channel to no one, it is meant for another person.
func (o Occurrence) addressed(known bool) bool {
	return o.Direct || o.Mentioned || o.AnswersBot || o.InThread && known
}

// asked reports whether a message is a question that was taken in.
func (s *Service) asked(ctx context.Context, o Occurrence) (bool, error) {
	t, err := s.Store.TurnOf(ctx, o.Tenant, o.Ref, o.Message)
	if errors.Is(err, session.ErrUnknownTurn) {
		return false, nil
	}
	return err == nil && t.Message == o.Message, err
}

// sight returns what was known of the thread before the message, and notes the message.
func (s *Service) sight(ctx context.Context, o Occurrence, p policy.Policy, h *holder) (session.Thread, error) {
	if !o.InThread && !o.Direct && !o.Forum {
		return session.Thread{}, nil
	}
	known, err := s.Store.Thread(ctx, o.Tenant, o.Ref)
	if err != nil || !known.Known && !known.Pending || o.Author == "" {
		return known, err
	}
	// whoever says thanks does not join the conversation
	if known.Known && !o.Mentioned && policy.IsSmallTalk(o.Text) {
		return known, nil
	}
	seen := session.Sighting{Tenant: o.Tenant, Ref: o.Ref, Message: o.Message, Person: o.Author, Bot: o.Bot}
	seen.Helper = !o.Bot && len(p.Helpers) > 0 && h.holds(ctx).MayRead(p.Helpers)
	if err := s.Store.Seen(ctx, seen); err != nil {
		return known, err
	}
	if h.unknown && o.Ask != nil && !o.Bot && len(p.Helpers) > 0 {
		s.lookUp(lookup{seen, p.Helpers, o.Ask})
	}
	now, err := s.Store.Thread(ctx, o.Tenant, o.Ref)
	known.People = now.People
	return known, err
}

// cooling looks for an unasked answer that was given a short while ago, where one would be given
// now.
func (s *Service) cooling(ctx context.Context, o Occurrence, p policy.Policy, state *policy.State) error {
	if p.Follow != policy.FollowAlways || p.Ambient.CoolDown <= 0 || o.Mentioned || o.Direct || o.Command || o.InThread {
		return nil
	}
	ago, err := s.Store.Unasked(ctx, o.Tenant, session.PlaceOf(o.Ref))
	state.CoolingDown = ago < p.Ambient.CoolDown
	return err
}

// holder asks the platform what a person holds, once at most.
type holder struct {
	ask    func(context.Context) (access.Audience, error)
	tenant access.TenantID
	asked  bool
	found  access.Audience

	unknown bool // what is found is public alone, since the audience is unknown
}

func (h *holder) holds(ctx context.Context) access.Audience {
	if h.asked {
		return h.found
	}
	h.asked, h.found = true, access.NewAudience(h.tenant)
	if h.ask == nil {
		return h.found
	}
	a, err := h.ask(ctx)
	if h.unknown = err != nil || a.Tenant() != h.tenant; !h.unknown {
		h.found = a
	}
	return h.found
}

// Question is a Mention that Judge, or a command, decided to answer.
type Question struct {
	thread.Mention
	// what Judge said; the zero value counts no quota and gives no reason
	Judgement Judgement
	Bot       bool                // the asker is another bot
	Reply     *session.ReplyToken // how an interaction is answered
	Pending   json.RawMessage     // for chat.Platform.Complete; nil: nothing
	// the question carries, or will, what was said before it in its thread
	CaughtUp bool
	// Patience is for how long it is tried again while the store does not answer, because no event
	// brings the question again; 0: it is not.
	Patience time.Duration
}

// Room returns policy.Full while the store's disk is full.
func (s *Service) Room() error { return s.room(nil) }

func (s *Service) room(err error) error {
	if s.Full != nil && s.Full(err) {
		return policy.Full
	}
	return nil
}

// Limited returns a policy.Rejection, and records it, where a quota has no room for a question now.
// A platform asks before it shows the question; Take counts, and has the last word.
func (s *Service) Limited(ctx context.Context, m thread.Mention, j Judgement) error {
	if j.Unsettled {
		return nil
	}
	var ends time.Time
	quotas := j.Policy.Counters(session.PlaceOf(m.Ref), m.Asker.ID, j.Holds)
	for _, q := range quotas {
		until := time.Now().Truncate(q.Window).Add(q.Window)
		full, err := s.Store.Exhausted(ctx, m.Tenant, []session.Quota{q}, until)
		if err != nil {
			s.Logger.WarnContext(ctx, "quotas not looked at before a question is shown", "event", m.EventKey, "error", err)
			return nil
		}
		if len(full) > 0 && until.After(ends) {
			ends = until
		}
	}
	if ends.IsZero() {
		return nil
	}
	refused := policy.Rejection{Sentence: policy.SayLimited(ctx, s.Store, m.Tenant, quotas, ends), Reason: policy.RefusedLimited, At: ends}
	s.takenRefused(ctx, m, refused)
	return refused
}

// firstPause is between the first two tries to take a question in.
const firstPause = 100 * time.Millisecond

// Take stores a question and queues its turn: the turn keeps why it is answered, counts against
// quotas, and waits where people are to answer first. A private answer in a channel belongs to the
// asker's private session of the thread. Once it returns, the platform's event may be acknowledged;
// the same event, or another of the same message, becomes the same turn. A policy.Rejection is a
// sentence for the person; any other error means that the event was not taken in and is to be
// redelivered. It does not wait for the answer.
func (s *Service) Take(ctx context.Context, q Question) (accepted Accepted, err error) {
	defer s.guard(ctx, "take", &err)
	text, err := policy.Asked(q.Text, s.config.MaxQuestion, q.Judgement.Reason)
	if err != nil {
		s.takenRefused(ctx, q.Mention, err)
		return Accepted{}, err
	}
	if err := s.Room(); err != nil {
		return Accepted{}, err
	}
	d := q.Judgement.Decision
	in := session.Intake{
		Tenant: q.Tenant, Ref: q.Ref, Starter: q.Starter, EventKey: q.EventKey, Message: q.Message, Asker: q.Asker, Text: text, Files: q.Files, At: q.At,
		Direct: q.Direct, Audience: q.Listens, Agent: q.Agent, Models: q.Models, Bot: q.Bot, Reply: q.Reply, Reason: string(d.Reason), Ambient: d.Ambient,
		After: d.Wait, CaughtUp: q.CaughtUp,
	}
	if d.Private && !q.Direct {
		in.Owner = q.Asker.ID
	}
	if q.Judgement.Unsettled || q.Pending != nil {
		in.Pending = &session.Pending{Unsettled: q.Judgement.Unsettled, Ask: q.Pending}
	}
	if !q.Judgement.Unsettled {
		in.Quotas = q.Judgement.Policy.Counters(session.PlaceOf(q.Ref), q.Asker.ID, q.Judgement.Holds)
	}
	defer s.intakes.begin()()
	began := time.Now()
	if q.Patience > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, q.Patience)
		defer cancel()
	}
	var stored session.Accepted
	try := func() (err error) {
		defer s.guard(ctx, "take", &err) // each time
		stored, err = s.Store.Accept(ctx, in)
		return err
	}
	err = try()
	for wait := firstPause; err != nil && q.Patience > 0 && s.room(err) == nil && !errors.Is(err, session.ErrInvalid) && sleep.For(ctx, wait) == nil; wait *= 2 {
		err = try()
	}
	if err != nil {
		if full := s.room(err); full != nil {
			s.Logger.WarnContext(ctx, "a question was refused, since the disk of the database is full", "error", err)
			return Accepted{}, full
		}
		return Accepted{}, err
	}
	if stored.Duplicate {
		s.Metrics.Repeated(q.Ref.Platform)
	} else {
		s.recordIntake(ctx, began, stored.Turn)
	}
	s.Wake()
	if until := stored.Turn.LimitedUntil; !until.IsZero() && q.Reply != nil && in.Pending == nil {
		return Accepted{}, policy.Rejection{Sentence: policy.SayLimited(ctx, s.Store, q.Tenant, in.Quotas, until), At: until}
	}
	accepted = Accepted{Accepted: stored}
	if !d.Ambient { // who did not ask does not wait
		accepted.Notice = policy.SayQueued(stored.Ahead)
	}
	return accepted, nil
}
