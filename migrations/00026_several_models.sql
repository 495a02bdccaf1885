-- +goose Up
-- Which of several models' replies a vote was given on, as run.model_index has it; null where that is not known, as in all earlier votes.
alter table feedback add column model_index int;
-- The models that somebody asked for by name, in the place of the agent's; null for all other questions.
alter table turn add column models text[];

-- +goose Down
alter table turn drop column models;
alter table feedback drop column model_index;
