-- +goose Up
-- Entries that were written about a person name that person by an alias too (details.for). Removing
-- the aliases that no entry uses looks for it.
create index audit_for on audit (tenant_id, (details ->> 'for')) where details ? 'for';

-- +goose Down
drop index audit_for;
