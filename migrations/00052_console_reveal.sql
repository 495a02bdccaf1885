-- +goose Up
-- Single questions that a person of the console sees for a reason, for a time. The asker was told.
create table console_reveal (
    tenant_id  text not null,
    turn_id    uuid not null,
    platform   text not null,
    workspace  text not null,
    person     text not null,
    reason     text not null,
    created_at timestamptz not null default clock_timestamp(),
    expires_at timestamptz not null,
    primary key (tenant_id, platform, workspace, person, turn_id),
    foreign key (tenant_id, turn_id) references turn (tenant_id, id) on delete cascade,
    foreign key (tenant_id, platform, workspace, person) references console_role on delete cascade
);
create index console_reveal_turn on console_reveal (tenant_id, turn_id);

-- +goose Down
drop table console_reveal;
