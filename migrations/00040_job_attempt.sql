-- +goose Up
-- Background jobs that run, or whose process died while they ran. A job that comes to its end has no row.
create table job_attempt (
    tenant_id text not null,
    kind      text not null,
    subject   text not null,
    process   text not null default '', -- that works on it; another one that finds it here knows that this one died
    deaths    int not null default 0,   -- processes that died while it ran, since it last came to its end
    at        timestamptz not null default clock_timestamp(), -- when the row changed
    primary key (tenant_id, kind, subject)
);

-- +goose Down
drop table job_attempt;
