/**
 * Locks accounts and everything ever merged with them, in ascending order. If a merge adds an account while this waits,
 * the order is broken, so all locks are released and taken again: otherwise two callers that hold one account each
 * could wait for each other. Nothing can be merged with an account while it is locked.
 */
export const LOCK_MERGED = `
create or replace function lock_merged(p_account_ids uuid[]) returns void language plpgsql as $$
declare
  v_locked_ids uuid[];
begin
  loop
    begin
      v_locked_ids := merged_with(p_account_ids);
      perform from account a where a.id = any (v_locked_ids) order by a.id for update;
      if v_locked_ids @> merged_with(p_account_ids) then
        return;
      end if;
      raise exception 'more were merged' using errcode = 'LM001';
    exception when sqlstate 'LM001' then
      -- The end of this block has let all of them go.
    end;
  end loop;
end
$$`

export const MERGED_WITH = `
create or replace function merged_with(p_account_ids uuid[]) returns uuid[] language sql stable as $$
  select array(
    select p.id from unnest(p_account_ids) as p (id) where p.id is not null
    union
    select m.id from account g join account m on m.merge_group_id = g.merge_group_id where g.id = any (p_account_ids)
  )
$$`

/**
 * Pays debts of merged credits from what has become available in others of their group, because a merge takes money
 * along that may be refunded later. `merged_nano` is what merges have brought an account, less what they have taken
 * from it. So an account pays for others at most what it has of theirs, and only for one whose money has left it:
 * somebody who was given a poisoned credit loses that credit and no more.
 *
 * Called with the account's lock whenever something may have become available; a reversal and a merge, which create
 * debts, hold the locks of the whole group. So the second of two callers sees what the first has written. If somebody
 * has a debt, all callers hold the locks of the group, in ascending order; but a debt may arise while one waits for its
 * accounts. It then holds accounts that come after those that it would have to wait for here, so it fails instead of
 * waiting (`nowait`), and is repeated in the right order (retry-lost-connection.ts).
 */
export const COLLECT_DEBTS = `
create or replace function collect_debts(p_group_id uuid, p_reference text) returns void language plpgsql as $$
declare
  v_debtor record;
  v_payer record;
  v_owed bigint;
  v_paid bigint;
  v_leg smallint := 0;
begin
  for v_debtor in
    select a.id, least(a.debt_nano, -a.merged_nano) as owed from account a
      where a.merge_group_id = p_group_id and a.debt_nano > 0 and a.merged_nano < 0
      order by a.id for update nowait
  loop
    v_owed := v_debtor.owed;
    for v_payer in
      select a.id, least(a.balance_nano - a.held_nano, a.merged_nano) as available from account a
        where a.merge_group_id = p_group_id and a.balance_nano > a.held_nano and a.merged_nano > 0
        order by a.id for update nowait
    loop
      exit when v_owed = 0;
      v_paid := least(v_owed, v_payer.available);
      insert into transfer (reference, leg, debit_account_id, credit_account_id, amount_nano, kind, memo)
        values ('collection/' || p_reference, v_leg, v_payer.id, v_debtor.id, v_paid, 'collection', '{}');
      update account a set balance_nano = a.balance_nano - v_paid, merged_nano = a.merged_nano - v_paid
        where a.id = v_payer.id;
      update account a set debt_nano = a.debt_nano - v_paid, merged_nano = a.merged_nano + v_paid
        where a.id = v_debtor.id;
      v_owed := v_owed - v_paid;
      v_leg := v_leg + 1;
    end loop;
  end loop;
end
$$`
