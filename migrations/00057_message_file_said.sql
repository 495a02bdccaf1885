-- +goose Up
-- The messages of a thread that a transcript holds, so that their old text is found when one of them
-- is edited or deleted. Transcripts from before have none.
alter table message_file add column said text[];
create index message_file_said on message_file using gin (said) where said is not null;

-- +goose Down
drop index message_file_said;
alter table message_file drop column said;
