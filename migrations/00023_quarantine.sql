-- +goose Up
-- The turns that a replica held when it died: which of them ended it is not known. They run apart from all others, at most so many at once,
-- in the process of one replica.
create table quarantine (
    replica text primary key, -- that died
    beside  int not null check (beside > 0), -- of these turns may run at once; 1: each runs alone
    host    text not null default '', -- replica that runs them, or lets its other turns end so that it can; empty for none
    at      timestamptz not null default clock_timestamp()
);
alter table turn add column quarantine text not null default ''; -- the replica that died last while it held the turn
alter table turn add column lone_deaths int not null default 0; -- replicas that died while the turn ran alone, on purpose
alter table turn add column failures int not null default 0; -- attempts that came to no end, and were handed back to be tried later
create index turn_quarantine on turn (quarantine) where quarantine <> '' and (state <> 'done' or disturbed);

-- +goose Down
drop index turn_quarantine;
alter table turn drop column failures, drop column lone_deaths, drop column quarantine;
drop table quarantine;
