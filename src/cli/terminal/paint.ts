import type { Environment, Sink } from '../io.ts'

/** Colours, or the same functions without any effect. */
export type Paint = {
  readonly isOn: boolean
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
  /** 256-colour foreground on background. */
  on(foreground: number, background: number, text: string): string
}

/** Colour only where a person looks: a terminal, no NO_COLOR, no dumb terminal. */
export function createPaint(sink: Sink, env: Environment, wantsColor = true): Paint {
  const isOn = wantsColor && sink.isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb'
  const wrap = (open: string, close: string) => (text: string) =>
    isOn ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return {
    isOn,
    bold: wrap('1', '22'),
    dim: wrap('2', '22'),
    red: wrap('31', '39'),
    green: wrap('32', '39'),
    yellow: wrap('33', '39'),
    on: (foreground, background, text) =>
      wrap(`38;5;${foreground};48;5;${background}`, '39;49')(text),
  }
}
