-- +goose Up
-- Why the model did not answer, as a code that footnote why explains.
alter table run add column cause text not null default '';
-- Serves answers from public documents alone, which are offered again.
create index run_audience on run (tenant_id, turn_id) where cause = 'audience';

-- +goose Down
drop index run_audience;
alter table run drop column cause;
