import type { Prompt, PromptFields } from '@/lib/local/prompts/prompt'
import { createExternalStore } from '@/lib/local/storage/external-store'

/**
 * The chat's instructions, the prompt library, the variables of one prompt, or the form for a prompt: a new one, unless
 * it has an id.
 */
export type OpenPromptDialog =
  | 'chat'
  | 'prompts'
  | { readonly fill: Prompt }
  | { readonly make: PromptFields; readonly id?: string | null }

/** Opened from the composer, but rendered outside: a dialog must not be inside the composer's form. */
export const promptDialogStore = createExternalStore<OpenPromptDialog | 'closed'>('closed')
