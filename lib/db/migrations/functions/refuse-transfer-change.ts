export const REFUSE_TRANSFER_CHANGE = `
create or replace function refuse_transfer_change() returns trigger language plpgsql as $$
begin
  raise exception 'transfers are append-only: write a compensating one';
end
$$`

export const TRANSFER_APPEND_ONLY = `
create or replace trigger transfer_append_only before update or delete or truncate on transfer
  for each statement execute function refuse_transfer_change()`
