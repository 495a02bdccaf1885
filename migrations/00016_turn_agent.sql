-- +goose Up
-- The agent that somebody asked for by name, in the place of the channel's; empty for all other questions.
alter table turn add column agent text not null default '';

-- +goose Down
alter table turn drop column agent;
