-- +goose Up
-- A deep search may wait until a person starts it, and what people say before there is a plan is kept for it.
alter table deep_search add column asked_at timestamptz;                                 -- since when somebody is asked whether it is to be started; null: nobody is
alter table deep_search add column choice text check (choice in ('start', 'plain'));     -- what was answered; plain: the question is answered without a deep search
alter table deep_search add column early json not null default '[]';                     -- deepsearch.Instruction: what was said before there was a plan
alter table deep_search add column progress json;                                        -- packet.Progress: how far it was at its end

-- +goose Down
alter table deep_search drop column progress;
alter table deep_search drop column early;
alter table deep_search drop column choice;
alter table deep_search drop column asked_at;
