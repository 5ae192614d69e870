const DATE_OR_LATEST = /-(?:\d{8}|latest)$/
/** A wider context, which Claude Code writes behind the name. */
const CONTEXT_MARK = /\[1m\]$/i

/**
 * What the catalogue may call a model of Anthropic's: `claude-3-5-haiku-latest` and
 * `claude-sonnet-4-5-20250929` are `anthropic/claude-3.5-haiku` and `anthropic/claude-sonnet-4.5` there. The name
 * itself goes first.
 */
export function anthropicModelNames(model: string): readonly string[] {
  const name = model.replace(CONTEXT_MARK, '')
  if (!/^(?:anthropic\/)?claude-/.test(name)) return [name]
  const bare = name.replace(/^anthropic\//, '')
  const undated = bare.replace(DATE_OR_LATEST, '')
  const dotted = undated.replace(/(\d)-(\d)(?!\d)/, '$1.$2')
  const short = dotted.replace(/\.0(?!\d)/, '')
  const others = [bare, undated, dotted, short].flatMap(each => [`anthropic/${each}`, each])
  return [...new Set([name, ...others])]
}

/** How Anthropic spells the name of one of its models; any other has its own. */
export function anthropicModelId(modelId: string): string {
  const spelled = modelId.replace(/^anthropic\/(?=claude-)/, '').replace(/(\d)\.(\d)/, '$1-$2')
  return spelled !== modelId && anthropicModelNames(spelled).includes(modelId) ? spelled : modelId
}
