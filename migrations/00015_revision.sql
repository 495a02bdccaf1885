-- +goose Up
-- What people do to answers: try again, take private, share, keep, remove, correct, judge.
alter table turn
    add column place           bigint, -- in the conversation; null: its own sequence. A derived turn has its origin's
    add column origin          uuid,   -- the turn that it comes of
    add column origin_as       text check (origin_as in ('retry', 'private', 'share')),
    add column replaced_by     uuid,   -- the turn that took its place, its messages with it
    add column revision        int not null default 0, -- of what is to be shown: grows when a person changes it
    add column leased_revision int not null default 0, -- that the newest lease has seen
    add column removed_at      timestamptz,
    add column removed_by      text not null default '',
    add column removed_by_name text not null default '',
    add column removal_reason  text not null default '',
    add column correction        text, -- Markdown in place of the answer
    add column corrected_at      timestamptz,
    add column corrected_by      text not null default '',
    add column corrected_by_name text not null default '',
    add column kept_at         timestamptz, -- its owner said that it stays private
    add column offered_at      timestamptz, -- its asker was offered a private answer
    add constraint turn_origin_whole check ((origin is null) = (origin_as is null));
-- A turn is retried, answered privately and shared once at most, however many presses race.
create unique index turn_origin on turn (tenant_id, origin, origin_as) where origin is not null;
create index turn_place on turn (tenant_id, session_id, coalesce(place, sequence));

-- What people think of answers: one vote each.
create table feedback (
    tenant_id   text not null,
    turn_id     uuid not null,
    person_id   text not null,
    person_name text not null,
    up          boolean not null,
    reason      text not null,
    at          timestamptz not null default clock_timestamp(),
    primary key (tenant_id, turn_id, person_id),
    foreign key (tenant_id, turn_id) references turn (tenant_id, id) on delete cascade
);
create index feedback_at on feedback (tenant_id, at);
create index feedback_person on feedback (tenant_id, person_id);

-- +goose Down
drop table feedback;
drop index turn_place;
drop index turn_origin;
alter table turn
    drop constraint turn_origin_whole,
    drop column place, drop column origin, drop column origin_as, drop column replaced_by, drop column revision, drop column leased_revision,
    drop column removed_at, drop column removed_by, drop column removed_by_name, drop column removal_reason,
    drop column correction, drop column corrected_at, drop column corrected_by, drop column corrected_by_name,
    drop column kept_at, drop column offered_at;
