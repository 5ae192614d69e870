import type { Migration } from './migration'
import { protectTable } from './protect-table'

/**
 * Which answers are being written, by whatever process of the deployment, and which of them its owner has
 * been asked to stop (lib/chat/server/exchange-board.ts). Unlogged: after a crash of the database none runs.
 */
export const runningExchanges: Migration = {
  name: '0010-running-exchanges',
  statements: [
    `create unlogged table running_exchange (
      exchange_id uuid primary key,
      account_id uuid not null,
      resume_name text unique,
      stop_requested boolean not null default false,
      expires_at timestamptz(3) not null
    )`,
    `create index running_exchange_expiry on running_exchange (expires_at)`,
    ...protectTable('running_exchange'),
  ],
}
