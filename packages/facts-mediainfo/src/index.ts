export * from './mediainfo-facts.js';
