-- +goose Up
-- People steer deep searches that are under way: they add questions, and drop some.
alter table deep_search add column steerable boolean not null default false; -- whoever works on it looks for what people change, until the report is written
alter table deep_question add column added boolean not null default false;   -- by a person

-- +goose Down
alter table deep_question drop column added;
alter table deep_search drop column steerable;
