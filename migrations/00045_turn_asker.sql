-- +goose Up
-- Serves the list of a person's newest questions.
create index turn_asker on turn (tenant_id, asker_id, intake_at desc);

-- +goose Down
drop index turn_asker;
