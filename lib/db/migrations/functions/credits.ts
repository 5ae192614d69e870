/** Except for prune_account, which has added the transfers to their months' totals. */
export const REFUSE_TRANSFER_CHANGE = `
create or replace function refuse_transfer_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and current_setting('ledger.pruning', true) = 'on' then
    return null;
  end if;
  raise exception 'transfers are append-only: write a compensating one';
end
$$`

export const TRANSFER_APPEND_ONLY = `
create or replace trigger transfer_append_only before update or delete or truncate on transfer
  for each statement execute function refuse_transfer_change()`

/**
 * Moves money from a system account to a person's credit, once per reference. Parallel deliveries meet at the
 * transfer's primary key: the later insert waits for the first to commit, and then does nothing. A debt is paid from it
 * before anything becomes available.
 *
 * If the account has been left for another since the payment was requested, the money is passed on to that one, but no
 * debt: somebody who was given a poisoned credit loses that credit and no more.
 */
export const CREDIT_ACCOUNT = `
create or replace function credit_account(p_request jsonb) returns jsonb language plpgsql as $$
declare
  v_account_id uuid := p_request ->> 'account_id';
  v_amount bigint := p_request ->> 'amount_nano';
  v_reference text := 'credit/' || (p_request ->> 'reference');
  v_outcome text := 'already_credited';
  v_asked_at timestamptz := p_request ->> 'asked_at';
  v_into_id uuid := leads_to(v_account_id, v_asked_at);
  v_group_id uuid;
  v_balance bigint;
begin
  insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
    values (v_reference, 0, (p_request ->> 'source_account_id')::uuid, v_account_id, v_amount, 'credit',
      p_request -> 'memo')
    on conflict do nothing;
  if found then
    v_outcome := 'credited';
    loop
      perform lock_merged(array[v_account_id, v_into_id]);
      -- It may have been left for yet another one while this waited.
      exit when leads_to(v_account_id, v_asked_at) = v_into_id;
      v_into_id := leads_to(v_account_id, v_asked_at);
    end loop;
    update account a
      set balance_nano = a.balance_nano + v_amount - least(a.debt_nano, v_amount),
        debt_nano = a.debt_nano - least(a.debt_nano, v_amount),
        -- Kept from now on (remove_unpaid_accounts), even if all of it is taken back.
        remove_unpaid_at = null
      where a.id = v_account_id and a.kind = 'credit'
      returning a.merge_group_id into v_group_id;
    if v_group_id is not null then
      perform collect_debts(v_group_id, v_reference);
    end if;
    if v_into_id <> v_account_id then
      -- A name of its own kind: no caller's merge can have taken it.
      perform move_merged(v_account_id, v_into_id,
        'merge/left/' || v_account_id || '/' || v_into_id || '/' || v_reference,
        (select least(a.balance_nano - a.held_nano, v_amount) from account a where a.id = v_account_id), 0);
    end if;
  end if;
  select a.balance_nano into v_balance from account a where a.id = v_account_id and a.kind = 'credit';
  if not found then
    raise exception 'no such account' using errcode = 'no_data_found';
  end if;
  return jsonb_build_object('outcome', v_outcome, 'balance_nano', v_balance::text);
end
$$`

/**
 * Takes credited money back, once per reference: what is available at once; the rest becomes a debt, which is
 * immediately collected from the credits that the money was merged into. Parallel deliveries meet at the account's row
 * lock. Both legs debit the person, so that an account's balance less its debt is the sum of its transfers.
 */
export const REVERSE_CREDIT = `
create or replace function reverse_credit(p_request jsonb) returns jsonb language plpgsql as $$
declare
  v_account_id uuid := p_request ->> 'account_id';
  v_source_account_id uuid := p_request ->> 'source_account_id';
  v_amount bigint := p_request ->> 'amount_nano';
  v_reference text := 'reversal/' || (p_request ->> 'reference');
  v_outcome text := 'already_reversed';
  v_taken bigint;
  v_debt bigint;
  v_group_id uuid;
  v_balance bigint;
begin
  perform lock_merged(array[v_account_id]);
  select least(v_amount, a.balance_nano - a.held_nano), a.merge_group_id into v_taken, v_group_id
    from account a where a.id = v_account_id and a.kind = 'credit';
  if not found then
    raise exception 'no such account' using errcode = 'no_data_found';
  end if;
  v_debt := v_amount - v_taken;

  if not exists (select from transfer t where t.reference = v_reference) then
    v_outcome := 'reversed';
    if v_taken > 0 then
      insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
        values (v_reference, 0, v_account_id, v_source_account_id, v_taken, 'reversal', p_request -> 'memo');
    end if;
    if v_debt > 0 then
      insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
        values (v_reference, 1, v_account_id, v_source_account_id, v_debt, 'debt', p_request -> 'memo');
    end if;
    update account a set balance_nano = a.balance_nano - v_taken, debt_nano = a.debt_nano + v_debt
      where a.id = v_account_id;
    if v_group_id is not null then
      perform collect_debts(v_group_id, v_reference);
    end if;
  end if;

  -- A repetition tells what was true the first time.
  select coalesce(sum(t.amount_nano) filter (where t.kind <> 'debt'), 0),
      coalesce(sum(t.amount_nano) filter (where t.kind <> 'collection'), 0)
    into v_taken, v_amount
    from transfer t where t.reference in (v_reference, 'collection/' || v_reference);
  select a.balance_nano into v_balance from account a where a.id = v_account_id;
  return jsonb_build_object('outcome', v_outcome, 'taken_nano', v_taken::text,
    'debt_nano', (v_amount - v_taken)::text, 'balance_nano', v_balance::text);
end
$$`
