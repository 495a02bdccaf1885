-- +goose Up
-- Personal tokens of people on chat platforms, for assistants that search on their behalf. A token
-- is 256 random bits, of which the hash alone is stored.
create table access_token (
    tenant_id  text not null references tenant (id),
    id         text not null,
    hash       bytea not null, -- SHA-256
    name       text not null,
    platform   text not null,
    workspace  text not null,
    person     text not null,
    created_by text not null, -- an account of the machine
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    revoked_at timestamptz,
    used_at    timestamptz, -- to the minute
    primary key (tenant_id, id),
    unique (tenant_id, hash)
);
create index access_token_person on access_token (tenant_id, platform, person);

-- +goose Down
drop table access_token;
