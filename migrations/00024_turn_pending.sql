-- +goose Up
-- What a worker is still to ask the platform about a question, which is taken in without waiting for it; null: nothing.
alter table turn add column pending jsonb;

-- +goose Down
alter table turn drop column pending;
