import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

const WORDS = resolve(import.meta.dirname, 'src/words')

/**
 * Builds the page in one language. English is the language of the sources; the words of another one are in a folder of its name beside them, a
 * file for each of theirs, and stand in for them.
 * @param {string} language
 * @returns {import('vite').Plugin}
 */
export function wordsIn(language) {
  return {
    name: `words-in-${language}`,
    enforce: 'pre',
    resolveId(specifier, importer) {
      if (language === 'en' || importer === undefined || !specifier.startsWith('.')) return null
      const file = resolve(dirname(importer), specifier)
      const translated = resolve(folderOf(language), basename(file))
      return dirname(file) === WORDS && existsSync(translated) ? translated : null
    },
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => {
        const words = pageHead(language)
        return html
          .replace('<html lang="en">', `<html lang="${language}">`)
          .replace(/\{\{(\w+)\}\}/g, (_, name) => words[name])
      },
    },
  }
}

/**
 * What the page says before it runs, and without it.
 * @param {string} language
 * @returns {Record<string, string>}
 */
export function pageHead(language) {
  return JSON.parse(readFileSync(resolve(folderOf(language), 'page-head.json'), 'utf8'))
}

/** @param {string} language */
function folderOf(language) {
  return language === 'en' ? WORDS : resolve(WORDS, language.toLowerCase())
}
