/**
 * Moves money from a system account to a person's credit, once per reference. Parallel deliveries meet
 * at the transfer's primary key: the later insert waits for the first to commit, then does nothing. What the
 * person owes is paid from it before anything becomes available.
 */
export const CREDIT_ACCOUNT = `
create or replace function credit_account(p_request jsonb) returns jsonb language plpgsql as $$
declare
  v_account_id uuid := p_request ->> 'account_id';
  v_amount bigint := p_request ->> 'amount_nano';
  v_reference text := 'credit/' || (p_request ->> 'reference');
  v_outcome text := 'already_credited';
  v_group_id uuid;
  v_balance bigint;
begin
  insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
    values (v_reference, 0, (p_request ->> 'source_account_id')::uuid, v_account_id, v_amount, 'credit',
      p_request -> 'memo')
    on conflict do nothing;
  if found then
    v_outcome := 'credited';
    update account a
      set balance_nano = a.balance_nano + v_amount - least(a.debt_nano, v_amount),
        debt_nano = a.debt_nano - least(a.debt_nano, v_amount)
      where a.id = v_account_id and a.kind = 'credit'
      returning a.merge_group_id into v_group_id;
    if v_group_id is not null then
      perform collect_debts(v_group_id, v_reference);
    end if;
  end if;
  select a.balance_nano into v_balance from account a where a.id = v_account_id and a.kind = 'credit';
  if not found then
    raise exception 'no such account' using errcode = 'no_data_found';
  end if;
  return jsonb_build_object('outcome', v_outcome, 'balance_nano', v_balance::text);
end
$$`
