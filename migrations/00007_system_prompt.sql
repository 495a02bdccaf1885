-- +goose Up
-- Every system prompt that was set, the newest version being the current one. Empty text means the built-in prompt.
create table system_prompt (
    tenant_id  text not null references tenant (id),
    version    int not null,
    text       text not null,
    changed_by text not null,
    changed_at timestamptz not null default clock_timestamp(),
    primary key (tenant_id, version)
);

-- +goose Down
drop table system_prompt;
