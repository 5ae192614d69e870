import type { Prompt, PromptFields } from '@/lib/local/prompts/prompt'
import { createExternalStore } from '@/lib/local/storage/external-store'

/** This chat's instructions; all prompts, or at once the blanks of one, or the making of a new one. */
export type OpenPromptDialog =
  | 'chat'
  | 'prompts'
  | { readonly fill: Prompt }
  | { readonly make: PromptFields }

/** Opened from the composer, whose form a dialog must not stand in. */
export const promptDialogStore = createExternalStore<OpenPromptDialog | 'closed'>('closed')
