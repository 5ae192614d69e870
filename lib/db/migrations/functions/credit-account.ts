/**
 * Moves money from a system account to a person's credit, once per reference. Parallel deliveries meet
 * at the transfer's primary key: the later insert waits for the first to commit, then does nothing.
 */
export const CREDIT_ACCOUNT = `
create or replace function credit_account(
  p_account_id uuid, p_source_account_id uuid, p_amount_nano bigint, p_reference text, p_memo jsonb,
  out outcome text, out balance_nano bigint
) language plpgsql as $$
#variable_conflict use_column
begin
  insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
    values ('credit/' || p_reference, 0, p_source_account_id, p_account_id, p_amount_nano, 'credit', p_memo)
    on conflict do nothing;
  if found then
    outcome := 'credited';
    update account a set balance_nano = a.balance_nano + p_amount_nano
      where a.id = p_account_id and a.kind = 'credit'
      returning a.balance_nano into balance_nano;
  else
    outcome := 'already_credited';
    select a.balance_nano into balance_nano from account a where a.id = p_account_id and a.kind = 'credit';
  end if;
  if balance_nano is null then
    raise exception 'no such account' using errcode = 'no_data_found';
  end if;
end
$$`
