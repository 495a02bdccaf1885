-- +goose Up
-- A message that was deleted before its turn had recorded it is known by its row: a page that is posted is removed again when it is recorded.
alter table surface_message add column deleted boolean not null default false;

-- +goose Down
alter table surface_message drop column deleted;
