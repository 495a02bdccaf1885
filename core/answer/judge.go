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

// Occurrence is an event on a chat platform about which [Service.Judge] decides. The adapter sets
// the fields of Event that the platform reports. Judge sets Known, Question and SmallTalk from Text
// and the store. It also sets Stop and Unfollow, unless the adapter has set them.
type Occurrence struct {
	policy.Event
	Tenant access.TenantID
	// Channel is the channel whose settings apply; in Discord, the parent of a thread
	Ref     thread.Ref
	Message thread.MessageID
	Author  string
	Text    string // not stored
	// Age is the age of a message that was read late. For all other messages it is 0.
	Age time.Duration
	// EventKey is the platform's id of a command or button press. These have no message.
	EventKey string
	// Holds returns what the author alone may read. It must not call the platform, because the
	// event must be acknowledged first. It is called only if not everyone may ask, roles have
	// quotas, or helpers are configured. After an error the question is accepted, and a worker
	// decides later. Nil means public documents only.
	Holds func(ctx context.Context) (access.Audience, error)
	// Ask is like Holds, but may call the platform. It is called after Judge has returned, to find
	// helpers. It is nil if the platform cannot be asked.
	Ask func(ctx context.Context) (access.Audience, error)
}

// Judgement is the decision about an [Occurrence], with the facts on which it is based.
type Judgement struct {
	policy.Decision
	Policy policy.Effective
	Thread session.Thread // state before the message, but People includes the author
	Holds  access.Audience
	// Instruction is a person's instruction to the thread's deep search (policy.Steer). Steered is
	// the result.
	Instruction deepsearch.Instruction
	Steered     deepsearch.Steered
	// Unsettled says that the decision to answer depends on the author's permissions, which are not
	// known yet (session.Pending).
	Unsettled bool
}

// Judge decides whether and how to answer a message. The decision depends on the channel's
// settings, the participants of the thread, and earlier events. In threads of the bot, Judge
// records who wrote a message. It stores the decision for "footnote why".
//
// An error means that the store failed, so that the rules of the channel are unknown. The event
// should then be redelivered or judged again. Nothing may be answered before that.
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
		o.Known, err = s.isQuestion(ctx, o)
		j.Decision = policy.Decide(o.Event, policy.State{})
		s.verdict(o, j.Decision)
		return j, err
	}
	h := &audienceLookup{ask: o.Holds, tenant: o.Tenant}
	if j.Thread, err = s.recordSighting(ctx, o, j.Policy.Policy, h); err != nil {
		return j, err
	}
	if steered, err := s.steerSearch(ctx, o, &j); err != nil || steered {
		return j, err
	}
	state := j.Policy.State().In(j.Thread)
	state.Idle = max(0, state.Idle-o.Age) // the idle time when the message was written
	state.Answered, state.Chosen = j.Thread.Known, len(j.Policy.Values()) > 0
	o.parseText(j.Policy.Policy, j.Thread.Known)
	if err := s.checkCoolDown(ctx, o, j.Policy.Policy, &state); err != nil {
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
	s.auditJudged(ctx, o, j.Decision)
	return j, nil
}

func (o *Occurrence) parseText(p policy.Policy, known bool) {
	if o.Text != "" && o.addressed(known) {
		o.Stop = o.Stop || policy.IsStop(o.Text)
		o.Unfollow = o.Unfollow || policy.IsUnfollow(o.Text)
	}
	o.Question = policy.IsQuestion(o.Text, p.Ambient.Test)
	o.SmallTalk = policy.IsSmallTalk(o.Text)
}

// addressed reports whether a command word such as "stop" is meant for the bot. This is the case in
// direct messages, after a mention, in replies to the bot, and in threads of the bot. known says
// that the thread is such a thread.
func (o Occurrence) addressed(known bool) bool {
	return o.Direct || o.Mentioned || o.AnswersBot || o.InThread && known
}

func (s *Service) isQuestion(ctx context.Context, o Occurrence) (bool, error) {
	t, err := s.Store.TurnOf(ctx, o.Tenant, o.Ref, o.Message)
	if errors.Is(err, session.ErrUnknownTurn) {
		return false, nil
	}
	return err == nil && t.Message == o.Message, err
}

// recordSighting records that the author of a message takes part in a thread of the bot. It returns
// the state of the thread from before the message, except that People counts the author.
func (s *Service) recordSighting(ctx context.Context, o Occurrence, p policy.Policy, h *audienceLookup) (session.Thread, error) {
	if !o.InThread && !o.Direct && !o.Forum {
		return session.Thread{}, nil
	}
	known, err := s.Store.Thread(ctx, o.Tenant, o.Ref)
	if err != nil || !known.Known && !known.Pending || o.Author == "" {
		return known, err
	}
	// saying thanks is not joining the conversation
	if known.Known && !o.Mentioned && policy.IsSmallTalk(o.Text) {
		return known, nil
	}
	seen := session.Sighting{Tenant: o.Tenant, Ref: o.Ref, Message: o.Message, Person: o.Author, Bot: o.Bot}
	seen.Helper = !o.Bot && len(p.Helpers) > 0 && h.holds(ctx).MayRead(p.Helpers)
	if err := s.Store.Seen(ctx, seen); err != nil {
		return known, err
	}
	if h.unknown && o.Ask != nil && !o.Bot && len(p.Helpers) > 0 {
		s.queueLookup(lookup{seen, p.Helpers, o.Ask})
	}
	now, err := s.Store.Thread(ctx, o.Tenant, o.Ref)
	known.People = now.People
	return known, err
}

func (s *Service) checkCoolDown(ctx context.Context, o Occurrence, p policy.Policy, state *policy.State) error {
	if p.Follow != policy.FollowAlways || p.Ambient.CoolDown <= 0 || o.Mentioned || o.Direct || o.Command || o.InThread {
		return nil
	}
	ago, err := s.Store.Unasked(ctx, o.Tenant, session.PlaceOf(o.Ref))
	state.CoolingDown = ago < p.Ambient.CoolDown
	return err
}

// audienceLookup looks up a person's permissions on first use, and at most once.
type audienceLookup struct {
	ask    func(context.Context) (access.Audience, error)
	tenant access.TenantID
	done   bool
	found  access.Audience

	unknown bool // found is public documents only, because the audience is unknown
}

func (h *audienceLookup) holds(ctx context.Context) access.Audience {
	if h.done {
		return h.found
	}
	h.done, h.found = true, access.NewAudience(h.tenant)
	if h.ask == nil {
		return h.found
	}
	a, err := h.ask(ctx)
	if h.unknown = err != nil || a.Tenant() != h.tenant; !h.unknown {
		h.found = a
	}
	return h.found
}

// Question is a message that [Service.Judge] or a command decided to answer.
type Question struct {
	thread.Mention
	// Judgement is the result of Judge. The zero value counts against no quota and has no reason.
	Judgement Judgement
	Bot       bool                // the asker is another bot
	Reply     *session.ReplyToken // how to reply to an interaction
	Pending   json.RawMessage     // argument for chat.Platform.Complete; may be nil
	// CaughtUp is the newest message that was read as context (session.Intake.CaughtUp).
	CaughtUp thread.MessageID
	// Patience is how long a failed write is retried. It is set if the platform does not redeliver
	// the event. 0 means no retry.
	Patience time.Duration
}

// Room returns [policy.Full] while the store's disk is full, and nil otherwise.
func (s *Service) Room() error { return s.room(nil) }

func (s *Service) room(err error) error {
	if s.Full != nil && s.Full(err) {
		return policy.Full
	}
	return nil
}

// Limited returns a [policy.Rejection] if a quota of the asker is exhausted, and records the
// refusal. A platform calls it before it shows the question to others. [Service.Take] counts the
// question and makes the final decision.
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
	s.auditRejected(ctx, m, refused)
	return refused
}

// firstPause is how long to wait before a failed write of a question is retried for the first time.
const firstPause = 100 * time.Millisecond

// Take stores a question and queues its turn. It does not wait for the answer. It counts the
// question against quotas. A private answer in a channel belongs to the asker's private session of
// the thread.
//
// When Take returns nil, the platform's event may be acknowledged. Take is idempotent for each
// event and each message. If the question is not accepted, the error is a [policy.Rejection] with a
// sentence for the person. After any other error the event should be redelivered.
func (s *Service) Take(ctx context.Context, q Question) (accepted Accepted, err error) {
	defer s.guard(ctx, "take", &err)
	text, err := policy.Asked(q.Text, s.config.MaxQuestion, q.Judgement.Reason)
	if err != nil {
		s.auditRejected(ctx, q.Mention, err)
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
	err = sleep.Backoff{First: firstPause}.Retry(ctx, func() (err error) {
		defer s.guard(ctx, "take", &err) // each time
		stored, err = s.Store.Accept(ctx, in)
		return err
	}, func(err error) time.Duration {
		if q.Patience == 0 || s.room(err) != nil || errors.Is(err, session.ErrInvalid) {
			return sleep.Never
		}
		return 0
	})
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
	if !d.Ambient { // an unasked answer needs no notice
		accepted.Notice = policy.SayQueued(stored.Ahead)
	}
	return accepted, nil
}
