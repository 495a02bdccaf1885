-- +goose Up
-- Tenants part organisations from one another: every other table names one. Workspaces and guilds are bound to at most one tenant.
create table tenant (
    id         text primary key check (id <> ''),
    created_at timestamptz not null default now()
);
insert into tenant (id) values ('default');

create table workspace (
    tenant_id  text not null references tenant (id),
    platform   text not null,
    workspace  text not null,
    bound_by   text not null, -- 'configured', 'first guild', or who ran the command
    created_at timestamptz not null default now(),
    primary key (platform, workspace)
);

-- +goose Down
drop table workspace;
drop table tenant;
