-- +goose Up
-- Why the answer does not stand in its thread as it was meant to, in words; empty where it does.
alter table turn add column undelivered text not null default '';

-- +goose Down
alter table turn drop column undelivered;
