-- +goose Up
-- Which of several models' replies a vote was given on, as run.model_index has it; null where that is not known, as in all earlier votes.
alter table feedback add column model_index int;

-- +goose Down
alter table feedback drop column model_index;
