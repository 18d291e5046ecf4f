import './wide.css';
import theme from 'vitepress/theme';

export default theme;
