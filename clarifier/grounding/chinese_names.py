"""What arguments with English names are called in Chinese, word by word: `data_type` is 数据类型.

Only for a person who speaks Chinese to tools that are described in English; a Chinese description goes first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

_WHOLE: Mapping[str, str] = MappingProxyType(
    {
        "query": "要查的内容", "message": "内容", "number": "编号", "email": "邮箱", "phone": "电话",
        "url": "网址", "from": "起点", "to": "终点", "origin": "出发地", "destination": "目的地",
        "account id": "账户", "word": "词语", "from currency": "原货币", "to currency": "目标货币",
        "base currency": "基准货币", "end": "终点", "start": "起点", "limit": "最多几条", "radius": "半径",
        "sort": "排序方式", "status": "状态", "page": "第几页", "zip code": "邮政编码",
        "phone number": "电话号码", "username": "用户名", "units": "单位", "days": "天数", "seats": "座位数",
        "page size": "每页条数", "date range": "起止日期", "time range": "起止时间", "ip address": "IP地址",
        "account number": "账号", "api key": "API密钥", "hostname": "主机名",
    }
)  # fmt: skip
"""Names whose words in a row would say something else."""
_WORD_TEXT = """
account 账户|action 操作|activity 活动|address 地址|age 年龄|airline 航空公司|airport 机场|album 专辑|alert 提醒
amount 金额|appointment 预约|article 文章|artist 歌手|asset 资产|author 作者|bank 银行|bill 账单|birth 出生
body 正文|book 书|booking 预订|brand 品牌|budget 预算|card 卡|cart 购物车|categories 类别|category 类别
check 入住|city 城市|class 等级|client 客户|code 代码|color 颜色|colour 颜色|comment 评论|company 公司
contact 联系人|content 内容|contract 合同|count 数量|countries 国家|country 国家|course 课程|currencies 货币
currency 货币|customer 客户|data 数据|dataset 数据集|date 日期|day 日期|deadline 截止日期|delivery 配送
departure 出发|description 说明|details 详情|device 设备|difficulty 难度|direction 方向|district 区|doctor 医生
document 文档|domain 域名|duration 时长|end 结束|event 活动|exchange 交易所|expiration 到期|file 文件
flight 航班|food 食物|format 格式|friend 好友|game 游戏|gender 性别|genre 风格|group 群组|guest 客人|height 高度
hotel 酒店|house 房屋|id 编号|image 图片|include 包含|indicator 指标|info 信息|information 信息|ingredient 食材
interval 间隔|invoice 发票|item 物品|job 职位|key 密钥|keyword 关键词|language 语言|latitude 纬度|length 长度
level 等级|line 线路|list 列表|location 地点|long 长|longitude 经度|map 地图|market 市场|meal 餐食|medium 媒介
member 会员|message 消息|method 方式|mode 方式|model 型号|month 月份|movie 电影|music 音乐|name 名称|news 新闻
note 备注|number 号|order 订单|origin 出发地|package 包裹|parking 停车|part 部件|party 政党|passenger 乘客
password 密码|patient 病人|payment 支付|percent 百分比|period 周期|person 人|phone 电话|photo 照片|place 地点
plan 方案|player 玩家|playlist 歌单|position 位置|post 帖子|price 价格|priority 优先级|product 商品|project 项目
quality 质量|quantity 数量|question 问题|range 范围|rate 比率|rating 评分|reason 原因|recipe 菜谱
recipient 收件人|record 记录|region 地区|reminder 提醒|report 报告|reservation 预订|restaurant 餐厅|return 返程
review 评论|room 房间|route 路线|salary 薪资|school 学校|score 分数|season 季节|seat 座位|sender 发件人
service 服务|shipment 货运|shipping 配送|shop 商店|short 短|show 显示|size 尺寸|song 歌曲|source 来源|speed 速度
sport 运动|start 开始|state 州|station 车站|status 状态|stock 股票|store 商店|street 街道|student 学生
style 风格|subject 主题|symbol 代号|table 餐桌|tag 标签|target 目标|task 任务|team 球队|temperature 温度
template 模板|terminal 航站楼|text 文字|theme 主题|ticket 票|time 时间|timezone 时区|title 标题|topic 主题
track 曲目|tracking 物流|train 车次|transaction 交易|travel 出行|type 类型|unit 单位|url 网址|user 用户|value 值
vehicle 车辆|venue 场地|version 版本|video 视频|wallet 钱包|week 周|weight 重量|width 宽度|year 年份
"""
_WORDS: Mapping[str, str] = MappingProxyType(
    dict(entry.rsplit(" ", 1) for line in _WORD_TEXT.split("\n") for entry in line.split("|") if entry)
)


def chinese_name(words: Sequence[str]) -> str:
    """Return what an argument whose name has these words is called; empty where one of them is not known."""
    if known := _WHOLE.get(" ".join(words)):
        return known
    found = [_WORDS.get(word) or _WORDS.get(word.removesuffix("s"), "") for word in words]
    return "".join(found) if all(found) else ""
